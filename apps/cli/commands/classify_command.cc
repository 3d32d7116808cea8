// kith classify: classes of the pages of a run, learnt from a table.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <nlohmann/json.hpp>

#include "kith/classify.h"

#include "cli/commands/command.h"
#include "cli/commands/flags.h"
#include "cli/output/console.h"
#include "cli/output/output.h"

namespace kith::cli {
namespace {

struct ClassifyFlags {
  ClassifyOptions options;
  std::string memory;
  std::string output;
  ListFormat format = ListFormat::tsv;
  bool json = false;
  std::shared_ptr<TableFiles> tables;
};

// The first of what the run does not have.
std::string unknown_text(const ClassifyReport& report) {
  return fmt::format("{} not in the run, such as {}", counted(report.unknown, "URL"),
                     fmt::join(report.unknown_urls, ", "));
}

double share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

void print_classes(const ClassifyReport& report, std::FILE* out) {
  print_to(out, "\n{:>10} {:>10} {:>10}  {}\n", "examples", "precision", "pages", "class");
  for (const ClassCounts& counts : report.classes) {
    const std::string precision =
        counts.sure == 0 ? "-" : percent(share(counts.right, counts.sure));
    print_to(out, "{:>10} {:>10} {:>10}  {}\n", with_commas(counts.examples), precision,
             with_commas(counts.pages), printable(counts.name));
  }
}

void print_report(const ClassifyReport& report, double accuracy, std::FILE* out) {
  row(out, "examples", "{} of {}; {} learnt from{}{}", with_commas(report.examples),
      counted(report.classes.size(), "class", "classes"), with_commas(report.learnt),
      report.without_words == 0
          ? ""
          : fmt::format("; {} without words", with_commas(report.without_words)),
      report.equal == 0 ? "" : fmt::format("; {} equal to another", with_commas(report.equal)));
  if (report.skipped_rows > 0) {
    row(out, "left out", "{} without a URL or a class", counted(report.skipped_rows, "row"));
  }
  if (report.unknown > 0) row(out, "unknown", "{}", unknown_text(report));
  row(out, "held back", "{} of the examples classified correctly; of the {} that are sure, {}",
      percent(share(report.right, report.learnt)), percent(share(report.sure, report.learnt)),
      percent(share(report.sure_and_right, report.sure)));
  if (report.sure == 0) {
    row(out, "warning",
        "no margin reaches an accuracy of {}, so only the examples have a class; try a lower "
        "--accuracy",
        accuracy);
  }
  row(out, "pages", "{} of {} get a class; {} are not sure enough", with_commas(report.classified),
      counted(report.urls, "URL"), with_commas(report.urls - report.classified));
  print_classes(report, out);
}

std::string report_json(const ClassifyReport& report) {
  using Json = nlohmann::ordered_json;
  Json classes = Json::array();
  for (const ClassCounts& counts : report.classes) {
    classes.push_back({{"class", counts.name},
                       {"examples", counts.examples},
                       {"sure", counts.sure},
                       {"right", counts.right},
                       {"pages", counts.pages}});
  }
  const Json json{{"rows", report.rows},
                  {"skipped_rows", report.skipped_rows},
                  {"unknown", report.unknown},
                  {"unknown_urls", report.unknown_urls},
                  {"examples", report.examples},
                  {"without_words", report.without_words},
                  {"equal", report.equal},
                  {"learnt", report.learnt},
                  {"right", report.right},
                  {"sure", report.sure},
                  {"sure_and_right", report.sure_and_right},
                  {"margin", std::isfinite(report.margin) ? Json(report.margin) : Json(nullptr)},
                  {"urls", report.urls},
                  {"classified", report.classified},
                  {"classes", classes}};
  return escaped_json(json.dump(2, ' ', false, Json::error_handler_t::replace));
}

Status check_flags(const ClassifyFlags& flags) {
  if (is_dedup_run(flags.options.run)) {
    return Error{ErrorKind::usage,
                 fmt::format("{}: is a run of 'kith dedup', whose shingles teach no classes; make "
                             "one with 'kith cluster'",
                             flags.options.run)};
  }
  std::error_code ignored;
  if (std::filesystem::equivalent(flags.options.labels, flags.output, ignored)) {
    return Error{ErrorKind::usage,
                 fmt::format("-o {}: would replace the table of --train", flags.output)};
  }
  if (!flags.json || !flags.output.empty()) return Status::ok();
  return Error{ErrorKind::usage,
               "--json: the report goes to standard output when the table has a file; name it "
               "with -o FILE"};
}

Status run(ClassifyFlags& flags) {
  KITH_TRY(read_size_flag("--memory", flags.memory, flags.options.memory));
  KITH_TRY(check_flags(flags));
  Output out(flags.tables);
  ProgressBar bar;
  const RowFormat format(flags.format, {"url", "class", {"confidence", RowColumn::Type::share}});
  KITH_TRY(out.open(flags.output));
  const auto take = [&](const ClassifiedPage& page) {
    bar.clear();
    out.header(format);
    out.row(format, {page.url, page.class_name, page.confidence});
    return out.good();
  };
  const auto report =
      classify_pages(flags.options, take, [&](const Progress& progress) { bar.show(progress); });
  bar.clear();
  KITH_TRY(out.finish());
  if (!report) return report.error();
  if (flags.json) {
    write_bytes(stdout, report_json(*report) + "\n");
  } else {
    print_report(*report, flags.options.accuracy, flags.output.empty() ? stderr : stdout);
  }
  return Status::ok();
}

}  // namespace

void add_classify_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<ClassifyFlags>();
  CLI::App* const command = app.add_subcommand(
      "classify", "Learn classes from labelled pages, and classify all other pages of a run");
  command->add_option("RUN", flags->options.run, "The run directory, which stays as it is")
      ->required();
  command
      ->add_option("--train", flags->options.labels,
                   "The examples: a table with the columns url and class, a row for each URL")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--column", flags->options.column,
                   "The column that has the class (default: class, or label where there is none)")
      ->type_name("NAME");
  command
      ->add_option("--accuracy", flags->options.accuracy,
                   "The minimum accuracy, by cross-validation, of the classes that are given; "
                   "pages that are less sure get none")
      ->capture_default_str();
  command->add_option("-o,--output", flags->output, "A file for the table; the report is printed")
      ->type_name("FILE");
  add_format_option(*command, flags->format);
  command->add_flag("--json", flags->json, "The report as JSON; needs -o");
  add_resource_flags(*command, flags->memory, flags->options.threads);
  command->footer(R"(
One line for each URL of the run: its class, and the probability that this is right. The class is
empty where the classifier is not sure. Examples keep their class. precision is measured on
examples that were held back.

Examples:
  kith classify run --train labels.tsv -o classes.tsv
  kith cluster run --within classes.tsv -o sorted
  kith classify run --train labels.tsv --accuracy 0.95 | awk -F'\t' '$2 == ""'
  kith classify run --train pages.tsv --column topic -o classes.tsv --json | jq .classified)");
  command->callback([flags, &outcome] {
    flags->tables = outcome.tables;
    if (const Status status = run(*flags); !status) outcome.fail(status.error());
  });
}

}  // namespace kith::cli
