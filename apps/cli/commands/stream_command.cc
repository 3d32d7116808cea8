// kith stream: a page comes, and is decided on.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kith/dedup.h"
#include "kith/stream_job.h"

#include "cli/commands/command.h"
#include "cli/commands/flags.h"
#include "cli/help/help.h"
#include "cli/output/console.h"
#include "cli/output/output.h"
#include "cli/output/summary.h"

namespace kith::cli {
namespace {

struct Unit {
  std::string_view name;
  double ms;
};
// Longer names first where one ends like another.
constexpr Unit time_units[] = {{"ms", 1}, {"s", 1e3}, {"m", 6e4}, {"h", 3.6e6}, {"d", 8.64e7}};

Status read_forget_after(const std::string& text, StreamOptions& options) {
  if (text.empty()) return Status::ok();
  if (!text.ends_with('p')) {
    KITH_ASSIGN(options.forget_after_ms, parse_duration("--forget-after", text));
    return Status::ok();
  }
  const char* const end = text.data() + text.size() - 1;
  const auto [at, error] = std::from_chars(text.data(), end, options.forget_after_pages);
  if (error == std::errc() && at == end && options.forget_after_pages > 0) return Status::ok();
  return Error{ErrorKind::usage,
               fmt::format("--forget-after {}: a number of pages is written like 1000000p", text)};
}

}  // namespace

Result<int64_t> parse_duration(std::string_view flag, std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  const std::string_view unit_name(at, static_cast<size_t>(end - at));
  const auto unit = std::ranges::find(time_units, unit_name, &Unit::name);
  constexpr double most = 1e15;
  if (error == std::errc() && unit != std::end(time_units) && number * unit->ms >= 1 &&
      number * unit->ms <= most) {
    return std::llround(number * unit->ms);
  }
  return Error{ErrorKind::usage,
               fmt::format("{} {}: a time is written like 250ms, 90s, 30m, 6h or 7d", flag, text)};
}

void add_token_flags(CLI::App& command, bool& normalize, Numbers& numbers) {
  command.add_flag("!--raw", normalize,
                   "Compare the text as it is: words are what is between blanks. Else words, "
                   "numbers and symbols are compared, without case and punctuation");
  add_choice(command, "--numbers", numbers, {Numbers::keep, Numbers::mask, Numbers::drop},
             "What digits count as: as they are, every run of them as the same one, or not");
}

void add_shingle_flags(CLI::App& command, ShingleOptions& options) {
  add_choice(command, "--shingles", options.shingles, {ShingleUnit::words, ShingleUnit::characters},
             "What a shingle is made of");
  command.add_option("--width", options.width, "Words or characters of a shingle")
      ->capture_default_str();
  command.add_flag("--bag", options.bag, "A shingle that occurs n times counts n times");
  add_token_flags(command, options.normalize, options.numbers);
}

namespace {

void add_similarity_flags(CLI::App& command, StreamOptions& options) {
  add_choice(command, "--by", options.by,
             {StreamBy::shingles, StreamBy::simhash, StreamBy::fingerprint, StreamBy::bags},
             "What pages are compared by: their shingles, the distance of 64-bit fingerprints of "
             "these, equality of the first bits of the fingerprints, or weighted bags of words");
  add_choice(
      command, "--similarity-of", options.measure,
      {StreamMeasure::resemblance, StreamMeasure::containment},
      "Similarity: the shared shingles as a share of those of both pages, or of those of the "
      "page with fewer");
  command.add_option("--similarity", options.similarity,
                     "Min similarity to the leader (default: 0.8 for shingles, 0.3 for bags)");
  command
      .add_option("--distance", options.distance,
                  "Max number of the 64 bits that differ from the leader, 0 to 7 (simhash)")
      ->capture_default_str();
  command
      .add_option("--bits", options.bits, "Leading bits that must be equal, 16 to 64 (fingerprint)")
      ->capture_default_str();
  add_choice(command, "--assign", options.assign, {Assign::best, Assign::first},
             "Join the most similar leader, or the earliest similar one: then it is CENTER in the "
             "order of arrival");
  add_choice(command, "--leader", options.leader, {StreamLeader::first, StreamLeader::mean},
             "What a page is compared with: the first page of a cluster, or the mean of its pages, "
             "which moves with them (bags)");
  command.add_option(
      "--recall", options.recall,
      "Min share of the leaders at the min similarity that is found (default: 0.99 for "
      "shingles, 0.9 for bags)");
  command.add_option("--lanes", options.lanes, "Minima in a signature (shingles, bags)")
      ->capture_default_str();
  command.add_option(
      "--max-tables", options.max_tables,
      "Max number of LSH tables or permuted tables: more of them take more memory and less "
      "time (default: 16 for shingles and simhash, 64 for bags)");
  command.add_option("--seed", options.seed, "Of everything that is drawn at random")
      ->capture_default_str();
  end_group(command, cli::group::similarity);
}

void add_time_flags(CLI::App& command, StreamFlagTexts& texts) {
  command
      .add_option("--forget-after", texts.forget_after,
                  "Forget leaders that have had no new member for so long: a time such as 7d, or a "
                  "number of pages such as 1000000p")
      ->type_name("TIME");
  command
      .add_option("--half-life", texts.half_life,
                  "Similarities are halved for every such time between a page and the leader; what "
                  "nothing could join any more is forgotten")
      ->type_name("TIME");
  command
      .add_option("--max-skew", texts.max_skew,
                  "A page whose time is further than that past the latest one and the clock of the "
                  "machine has the time of the page before, and is counted (default: 1d)")
      ->type_name("TIME");
  end_group(command, cli::group::time);
}

}  // namespace

void add_stream_flags(CLI::App& command, StreamOptions& options, StreamFlagTexts& texts) {
  command
      .add_option("--dictionary", options.dictionary,
                  "The run whose words and weights make the bags; without it weights are learnt "
                  "as pages come (bags)")
      ->type_name("RUN");
  add_shingle_flags(command, options.shingles);
  end_group(command, cli::group::words);
  add_similarity_flags(command, options);
  add_time_flags(command, texts);
  command.add_flag("--pairs", options.pairs,
                   "No clusters: print every similar pair of pages, once");
  command
      .add_option("--themes", options.themes,
                  "Max words of the theme of a cluster, 0 to 16; 0: words of pages are not kept "
                  "(default: as before, else 5 with --format jsonl, 0 without)")
      ->type_name("N");
  end_group(command, cli::group::lists);
}

Status read_stream_flags(const CLI::App& command, const StreamFlagTexts& texts,
                         StreamOptions& options) {
  KITH_TRY(refuse_idle_options(command, conditions_of(options)));
  if (options.by == StreamBy::bags) {
    // Pages of a topic are less similar than copies.
    if (command.count("--similarity") == 0) options.similarity = 0.3;
    if (command.count("--recall") == 0) options.recall = 0.9;
    if (command.count("--max-tables") == 0) options.max_tables = 64;
  }
  KITH_TRY(read_forget_after(texts.forget_after, options));
  if (!texts.half_life.empty()) {
    KITH_ASSIGN(options.half_life_ms, parse_duration("--half-life", texts.half_life));
  }
  if (!texts.max_skew.empty()) {
    KITH_ASSIGN(options.max_skew_ms, parse_duration("--max-skew", texts.max_skew));
  }
  return Status::ok();
}

// kith stream: a page comes, and is decided on.

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
  row("url rules", report.respelled, "pages under other spellings of their URLs (--url-rules)");
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
  add_text_format_option(command, flags.format);
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
  add_url_rules_flag(*command, flags->options.url_rules);
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
    flags->options.tables = outcome.tables;
    if (const Status status = run(*command, *flags); !status) outcome.fail(status.error());
  });
}

}  // namespace kith::cli
