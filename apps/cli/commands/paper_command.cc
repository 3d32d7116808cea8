// kith paper: the pipeline of the paper, step by step.
#include <memory>
#include <utility>

#include "cli/commands/cluster_flags.h"
#include "cli/commands/command.h"
#include "cli/commands/idle_options.h"
#include "cli/help/help_format.h"
#include "cli/job_options.h"
#include "cli/read_flags.h"

namespace kith::cli {
namespace {

constexpr const char* paper_examples = R"(
The steps, their order and their parameters are those of Haveliwala, Gionis and Indyk, Scalable
Techniques for Clustering the Web (2000): every URL that is seen has a bag, pairs meet in 125 rounds
of 3 of 80 minima, and CENTER scans them in the order of URLs. There are no topics. 'kith info DIR'
prints the times next to Table 1 of the paper.

The bags of an INPUT that is a run directory of kith are taken as they are. They may not be those of
the paper then, and have no time in the table.

Examples:
  kith paper crawl.warc.gz -o paper
  kith paper crawl.warc.gz -o paper --bags content --similarity 0.3
  kith info paper)";

}  // namespace

void define_paper_command(CLI::App& app, std::function<void(const Result<ClusterOptions>&)> take) {
  const auto flags = std::make_shared<ClusterFlags>();
  CLI::App* const command = app.add_subcommand(
      "paper", "From a crawl to clusters as in the paper of 2000, with the times of its Table 1");
  command->footer(std::string(input_help) + paper_examples);
  add_read_flags(*command, flags->options, flags->max_page);
  command->get_option("--strict")->description(strict_job_help);
  add_word_flags(*command, *flags, {BagKind::anchor, BagKind::content});
  command->add_option("--similarity", flags->options.similarity, "The threshold, up to 1")
      ->type_name("NUMBER")
      ->default_str("0.2");
  add_check_flags(*command, *flags);
  end_group(*command, cli::group::similarity);
  add_neighbours_flag(*command, *flags);
  command->get_option("--neighbours")
      ->description("Related pages kept for every URL, of those at or above the threshold");
  end_group(*command, cli::group::lists);
  add_run_flags(*command, *flags);
  add_resource_flags(*command, flags->memory, flags->options.threads);
  command->callback([command, flags, take = std::move(take)] {
    Status status = read_cluster_texts(*flags);
    if (status) {
      paper_preset(flags->options);
      status = refuse_idle_options(*command, conditions_of(flags->options));
    }
    if (!status) return take(status.error());
    take(flags->options);
  });
}

void add_paper_command(CLI::App& app, Outcome& outcome) {
  define_paper_command(app, [&outcome](const Result<ClusterOptions>& options) {
    if (!options) return outcome.fail(options.error());
    run_cluster(*options, outcome);
  });
}

}  // namespace kith::cli
