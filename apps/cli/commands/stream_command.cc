// kith stream: a page comes, and is decided on.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kith/stream_job.h"

#include "cli/commands/command.h"
#include "cli/commands/stream_flags.h"
#include "cli/help/help_format.h"
#include "cli/output/answer_output.h"
#include "cli/output/console.h"
#include "cli/output/summary.h"
#include "cli/read_flags.h"

namespace kith::cli {
namespace {

struct StreamFlags {
  StreamJobOptions options;
  StreamFlagTexts texts;
  std::string max_page;
  std::string memory;
  std::string output;
  ListFormat format = ListFormat::tsv;
};

constexpr const char* stream_examples = R"(
JSON lines may have "time" (seconds since 1970, or a date such as 2026-11-24T12:00:00Z) and
"deleted": true, which removes the page. A page that comes again under its URL is an update.

Rows are document, cluster, role (leader, member, duplicate, updated, moved, deleted) and
similarity to the leader; JSON lines have the leader, the size and the theme of the cluster, too:
words that are more frequent in it than in the stream (--themes).

Examples:
  crawler | kith stream news --half-life 6h             JSON lines in, decisions out
  kith stream copies crawl.warc.gz -o decisions.tsv     a file, of which each page is read once
  kith stream near --by simhash --distance 3 pages.jsonl --format jsonl)";

void print_resumed(const StreamProgress& progress, bool repair) {
  if (progress.lost) {
    print_message(fmt::format("the damaged end of the log is dropped: {} bytes, with {} or more",
                              with_commas(progress.lost->bytes),
                              counted(progress.lost->pages, "page")));
  } else if (repair) {
    print_message("nothing is damaged, and nothing was dropped");
  }
  if (progress.was_cut) {
    print_message("the log ended in the middle of a record, which is gone");
  }
  if (progress.last.empty()) return;
  print_message(fmt::format("going on behind {}, the last page that is safe; {} so far",
                            progress.last, counted(progress.answers, "row")));
}

void print_counts(const StreamReport& report, const ReadOptions& options) {
  const StreamCounts& of = report.stream;
  print_crawl(report.crawl, options, stderr);
  print_to(stderr, "{:<18}{} in {} ({}, {}, {})\n", "stream", counted(of.documents, "document"),
           counted(of.clusters, "cluster"), counted(of.duplicates, "duplicate"),
           counted(of.updates, "update"), counted(of.deletions, "deletion"));
  const auto row = [](std::string_view label, uint64_t count, std::string_view what) {
    if (count > 0) print_to(stderr, "{:<18}{} {}\n", label, with_commas(count), what);
  };
  row("read before", report.read_before, "pages of the input, in an earlier run");
  row("other files", report.other_files,
      "files of other content than when their name was read before");
  row("without words", of.empty, "pages: leaders that nothing is similar to");
  const auto first = [](const std::string& page) {
    return page.empty() ? "" : fmt::format("; the first is {}", printable(page));
  };
  row("clock", of.late,
      "pages with a time before that of an earlier page, whose time was taken" +
          first(report.first_late));
  row("clock", of.ahead,
      "pages with a time beyond --max-skew, which have that of the page before" +
          first(report.first_ahead));
  row("unknown", of.unknown, "deletions of pages that the stream does not know");
  row("forgotten", of.forgotten_age, "clusters that were too old");
  row("forgotten", of.forgotten_room, "clusters beyond --most-leaders or --memory");
  print_skip_examples(report.crawl, stderr);
}

// Whether files were named and none of them has a page, or what came is no page at all. A pipe
// without anything is an hour in which nothing came.
bool is_nothing_read(const StreamReport& report, uint64_t answers, const ReadOptions& options) {
  if (answers + report.read_before + report.crawl.pages > 0 || options.inputs.empty()) return false;
  return report.crawl.records > 0 || options.inputs != std::vector<std::string>{"-"};
}

Status run(const CLI::App& command, StreamFlags& flags) {
  StreamJobOptions& options = flags.options;
  const bool repair = options.stream.repair;
  if (options.inputs.empty() && !repair) options.inputs = {"-"};
  KITH_TRY(read_size_flag("--max-page", flags.max_page, options.max_page));
  KITH_TRY(read_size_flag("--memory", flags.memory, options.memory));
  KITH_TRY(read_stream_flags(command, flags.texts, options.stream));
  options.stream.decision_themes = flags.format == ListFormat::jsonl && !options.stream.pairs;
  uint64_t answers = 0;
  AnswerOutput output(flags.format, options.stream.pairs, flags.output);
  const auto report = run_stream(
      options, {.begin = [&](const StreamProgress& progress) { return output.begin(progress); },
                .resume =
                    [&](const StreamProgress& progress) {
                      Status resumed = output.resume(progress);
                      if (resumed) print_resumed(progress, repair);
                      return resumed;
                    },
                .take =
                    [&](const StreamAnswer& answer) {
                      answers += answer.size();
                      return output.take(answer);
                    },
                .flush = [&] { return output.flush(); },
                .settle = [&] { return output.settle(); }});
  if (!report) return report.error();
  print_counts(*report, options);
  return is_nothing_read(*report, answers, options) ? nothing_read(report->crawl) : Status::ok();
}

void add_output_flags(CLI::App& command, StreamFlags& flags) {
  command
      .add_option("-o,--output", flags.output,
                  "Append the rows to a file that has those of the whole stream, each once, also "
                  "when the program is killed and started again")
      ->type_name("FILE");
  add_format_option(command, flags.format);
  add_choice(command, "--durable", flags.options.durable,
             {Durable::page, Durable::second, Durable::none},
             "When the machine goes down, what a row is worth: its page is on the disk before the "
             "row is printed, about a second later, or some time");
  command.add_flag("--repair", flags.options.stream.repair,
                   "Go on with a stream whose log is damaged: drop what follows the damage, and "
                   "rows of --output that are of that, and say how much it was. Without INPUT "
                   "nothing is read");
  end_group(command, cli::group::output);
  command
      .add_option("--memory", flags.memory,
                  "Most memory to use, e.g. 4G (default: 3/4 of all); beyond it leaders are "
                  "forgotten as by --most-leaders")
      ->type_name("SIZE");
  command
      .add_option(
          "--most-leaders", flags.options.stream.most_leaders,
          "Max number of leaders; beyond it the one that has waited longest for a member is "
          "forgotten")
      ->type_name("N");
  end_group(command, cli::group::resources);
}

}  // namespace

void add_stream_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<StreamFlags>();
  CLI::App* const command = app.add_subcommand(
      "stream", "Assign pages to clusters as they come, a line a page; the state survives in DIR");
  command->add_option("DIR", flags->options.directory, "The folder of the stream's state")
      ->required();
  add_read_flags(*command, flags->options, flags->max_page);
  command->get_option("--strict")
      ->description(
          "End at the first damaged record, line without a name or a text, or page whose time is "
          "before that of an earlier page");
  command->get_option("INPUT")->required(false)->description(
      "Crawl files, folders, or - for standard input, which is the default");
  add_stream_flags(*command, flags->options.stream, flags->texts);
  add_output_flags(*command, *flags);
  command->footer(std::string(input_help) + stream_examples);
  command->callback([flags, command, &outcome] {
    if (const Status status = run(*command, *flags); !status) outcome.fail(status.error());
  });
}

}  // namespace kith::cli
