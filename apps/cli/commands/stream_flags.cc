#include "cli/commands/stream_flags.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "kith/dedup.h"

#include "cli/commands/command.h"
#include "cli/commands/idle_options.h"
#include "cli/help/help_format.h"

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

}  // namespace kith::cli
