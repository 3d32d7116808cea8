// kith evaluate: a run beside labels that are known from elsewhere.
#include <memory>

#include "kith/evaluate.h"

#include "cli/commands/command.h"
#include "cli/output/evaluate_output.h"
#include "cli/output/output.h"

namespace kith::cli {
namespace {

struct EvaluateFlags {
  EvaluateOptions options;
  bool json = false;
};

template <class Evaluation>
Status print(const EvaluateFlags& flags, const Evaluation& evaluation) {
  Output out;
  if (flags.json) {
    out.line(evaluation_json(flags.options, evaluation));
  } else {
    print_evaluation(flags.options, evaluation, out);
  }
  return out.finish();
}

Status run(const EvaluateFlags& flags) {
  if (is_dedup_run(flags.options.run)) {
    KITH_ASSIGN(const DedupEvaluation evaluation, evaluate_dedup(flags.options));
    return print(flags, evaluation);
  }
  KITH_ASSIGN(const ClusterEvaluation evaluation, evaluate_clusters(flags.options));
  return print(flags, evaluation);
}

}  // namespace

void add_evaluate_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<EvaluateFlags>();
  CLI::App* const command = app.add_subcommand(
      "evaluate", "How well a run agrees with labels: clusters, related pages, duplicates");
  command->add_option("DIR", flags->options.run, "The run directory, of cluster or dedup")
      ->required();
  command
      ->add_option("LABELS", flags->options.labels,
                   "TSV with the columns url and label, a row for each label; - standard input")
      ->required();
  command
      ->add_option("--column", flags->options.columns,
                   "The column that holds the label; of several, A,B, the values are joined by '/'")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->type_name("NAME")
      ->default_str("label");
  command->add_flag("--json", flags->json, "All counts and measures as JSON");
  command->footer(R"(
A label with slashes, as Science/Biology, is a class in a tree: every level of it is evaluated. B3
is B-cubed, P and R are precision and recall, P@5 is the precision of the first five related pages.
Pages that only one of both has are counted. Of a dedup run, documents with the same label are
duplicates.

Examples:
  kith evaluate run labels.tsv
  kith evaluate run crawl.tsv --column topic,package
  awk -F'\t' -v OFS='\t' '{ print $1, $3 }' labels.tsv | kith evaluate run - --column topic
  kith evaluate run labels.tsv --json | jq '.levels[].all.ami')");
  command->callback([flags, &outcome] {
    if (const Status status = run(*flags); !status) outcome.fail(status.error());
  });
}

}  // namespace kith::cli
