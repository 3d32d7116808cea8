#include "cli/commands/cluster_flags.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/commands/command.h"
#include "cli/help/help_format.h"
#include "cli/output/progress_bar.h"
#include "cli/output/stop_message.h"
#include "cli/output/summary.h"
#include "cli/read_flags.h"
#include "cli/stop_words_file.h"

namespace kith::cli {
namespace {

// "2/4": the second of four.
Status read_shard(const std::string& text, ClusterOptions& options) {
  if (text.empty()) return Status::ok();
  const size_t slash = std::min(text.find('/'), text.size());
  const char* const end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), text.data() + slash, options.shard);
  const auto count = std::from_chars(std::min(text.data() + slash + 1, end), end, options.shards);
  const bool is_read = number.ec == std::errc() && number.ptr == text.data() + slash &&
                       count.ec == std::errc() && count.ptr == end;
  if (is_read && options.shards > 0) return Status::ok();
  return Error{ErrorKind::usage,
               fmt::format("--shard {}: must be I/N, as in 2/4: the second of four", text)};
}

Status read_similarity(const std::string& text, std::optional<double>& similarity) {
  if (text.empty() || text == "auto") return Status::ok();
  double value = 0;
  if (!CLI::detail::lexical_cast(text, value)) {
    return Error{ErrorKind::usage,
                 fmt::format("--similarity {}: must be 'auto' or a number", text)};
  }
  similarity = value;
  return Status::ok();
}

}  // namespace

void add_word_flags(CLI::App& command, ClusterFlags& flags, std::initializer_list<BagKind> kinds) {
  ClusterOptions& options = flags.options;
  options.bags = *kinds.begin();
  const bool has_both = options.bags == BagKind::both;
  add_choice(command, "--bags", options.bags, kinds,
             fmt::format("Words around the links to a URL, or the words of the page{}",
                         has_both ? ", or both" : ""));
  add_choice(command, "--links", options.links, {LinkScope::all, LinkScope::external},
             "Links that count for anchor bags: all, or from other hosts only");
  command.add_option("--window", options.window,
                     fmt::format("Words taken on either side of a link [{}]",
                                 has_both ? "16 with both kinds of bags, else 8" : "8"));
  add_choice(
      command, "--aliases", options.aliases,
      std::vector<std::pair<std::string, std::optional<bool>>>{{"fold", true}, {"keep", false}},
      fmt::format("Fold a URL that is redirected, refreshed or not canonical into its "
                  "target, or keep it [{}]",
                  has_both ? "fold with both kinds of bags, else keep" : "keep"));
  command.add_option("--max-terms", options.max_terms,
                     fmt::format("Words of a bag, those of the largest weights; 0: all [{}]",
                                 has_both ? "160 with both kinds of bags, else 0" : "0"));
  add_choice(command, "--weighting", options.weighting,
             {Weighting::tf_idf, Weighting::nmdf, Weighting::tf}, "Weight of a word in a bag");
  command.add_option("--min-df", options.min_df, "Drop words that are in fewer bags")
      ->capture_default_str();
  command.add_option("--max-df", options.max_df, "Drop words that are in a larger share of bags")
      ->capture_default_str();
  command
      .add_option("--stop-words", flags.stop_words,
                  "Drop the words of this file as well, in all their forms")
      ->type_name("FILE");
  end_group(command, cli::group::words);
}

void add_check_flags(CLI::App& command, ClusterFlags& flags) {
  command.add_option("--seed", flags.options.seed, "Of everything that is drawn at random")
      ->capture_default_str();
  command.add_flag("--no-check", flags.no_check,
                   "Do not measure recall and precision on a sample of URLs");
}

void add_neighbours_flag(CLI::App& command, ClusterFlags& flags) {
  command
      .add_option("--neighbours", flags.options.neighbours,
                  "Related pages kept for every URL; 0: none, and no topics")
      ->capture_default_str();
}

void add_run_flags(CLI::App& command, ClusterFlags& flags) {
  command.add_option("-o,--output", flags.options.output, "The run directory to make")
      ->type_name("DIR")
      ->required();
  command
      .add_option("--shard", flags.shard,
                  "Only a part, for 'kith merge': every N-th file, from the I-th on; of a run that "
                  "is the INPUT, the signatures of its I-th part")
      ->type_name("I/N");
  end_group(command, cli::group::output);
}

Status read_cluster_texts(ClusterFlags& flags) {
  KITH_TRY(read_similarity(flags.similarity, flags.options.similarity));
  KITH_TRY(read_size_flag("--memory", flags.memory, flags.options.memory));
  KITH_TRY(read_size_flag("--max-page", flags.max_page, flags.options.max_page));
  KITH_TRY(read_shard(flags.shard, flags.options));
  if (!flags.stop_words.empty()) {
    KITH_ASSIGN(flags.options.stop_words, read_stop_words(flags.stop_words));
  }
  if (flags.no_check) flags.options.check_queries = 0;
  return Status::ok();
}

void run_cluster(const ClusterOptions& options, Outcome& outcome) {
  announce_stops();
  ProgressBar bar;
  const auto report = cluster_crawl(options, [&](const Progress& progress) { bar.show(progress); });
  bar.clear();
  if (!report) return outcome.fail(report.error());
  if (options.shards > 0) {
    const bool is_of_run = Run::open(options.inputs.front()).is_ok();
    return print_shard_summary(*report, !is_of_run, stderr);
  }
  print_summary(*report, stderr);
  if (report->bags.urls == 0) return outcome.fail(nothing_read(report->crawl));
  if (options.strict && !report->check.keeps_promise()) {
    outcome.fail({ErrorKind::corrupt, fmt::format("--strict: {}", broken_promise(report->check))});
  }
}

}  // namespace kith::cli
