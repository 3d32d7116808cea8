// Flags that several commands have, and what is wrong with those that were given.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "kith/dedup.h"
#include "kith/options.h"
#include "kith/passages.h"
#include "kith/shingles.h"
#include "kith/status.h"
#include "kith/stream.h"

namespace kith::cli {

// The flags of every command that reads a crawl or works on one for long.

// What --strict means where recall is measured.
inline constexpr const char* strict_job_help =
    "Fail at the first damaged record, and at the end when the measured recall is below what is "
    "expected";

// INPUT and the flags that say how it is read. `options` and `max_page` outlive the parsing; the
// latter takes the text of --max-page, for read_size_flag.
void add_read_flags(CLI::App& command, ReadOptions& options, std::string& max_page);

// --url-rules of those that tell pages apart by their URLs. `rules` outlives the parsing; it takes
// the rules themselves.
void add_url_rules_flag(CLI::App& command, std::string& rules);

// --captures of those that have one page for a URL.
void add_captures_flag(CLI::App& command, Captures& captures);

// --memory, as text for read_size_flag, and --threads. Both outlive the parsing.
void add_resource_flags(CLI::App& command, std::string& memory, unsigned& threads);

// Turns the text of a flag, if there is any, into bytes; the error names the flag.
Status read_size_flag(const char* flag, const std::string& text, uint64_t& size);

// The same of a share: a number in (0, 1], or a percentage.
Status read_share_flag(const char* flag, const std::string& text, double& share);

// What INPUT may be, for the help.
extern const char* const input_help;

// The file of --stop-words.

// Words between white space; from a # at the beginning of a word to the end of its line nothing is
// read. Errors: the file cannot be opened (not_found), cannot be read or has no word (usage).
Result<std::vector<std::string>> read_stop_words(const std::string& path);

// What `kith cluster` and `kith paper` share: options, and the job itself.

struct Outcome;

// The options, and the texts of those that are read at the end.
struct ClusterFlags {
  ClusterOptions options;
  std::string similarity;
  std::string memory;
  std::string max_page;
  std::string shard;
  std::string stop_words;
  bool no_check = false;
};

// Which words a bag has: of the kinds of bags that the command makes, the first one by default.
void add_word_flags(CLI::App& command, ClusterFlags& flags, std::initializer_list<BagKind> kinds);

// --no-check and --seed.
void add_check_flags(CLI::App& command, ClusterFlags& flags);

void add_neighbours_flag(CLI::App& command, ClusterFlags& flags);

// --output and --shard.
void add_run_flags(CLI::App& command, ClusterFlags& flags);

// "2/4": the second of four. Empty: the whole.
Status read_shard_flag(const std::string& text, ShardOptions& options);

// The texts become values of the options; the error names the option.
Status read_cluster_texts(ClusterFlags& flags);

// Does the job, with progress and a summary.
void run_cluster(const ClusterOptions& options, Outcome& outcome);

// Prints the summary of a run of dedup, and fails where nothing was read or a promise was broken.
void end_dedup(const DedupReport& report, Outcome& outcome);
// The same of passages.
void end_passages(const PassageReport& report, Outcome& outcome);

// The flags of what is compared by shingles, and those of kith stream.

// What is read as text first.
struct StreamFlagTexts {
  std::string forget_after;
  std::string half_life;
  std::string max_skew;
};

// --raw and --numbers: what of a text counts. Both outlive the parsing.
void add_token_flags(CLI::App& command, bool& normalize, Numbers& numbers);

// --shingles, --width, --bag, --raw and --numbers. `options` outlives the parsing.
void add_shingle_flags(CLI::App& command, ShingleOptions& options);

// Defines the flags that fill `options`. Both outlive the parsing.
void add_stream_flags(CLI::App& command, StreamOptions& options, StreamFlagTexts& texts);

// After the parsing: reads the texts, and refuses flags that do nothing with the others.
Status read_stream_flags(const CLI::App& command, const StreamFlagTexts& texts,
                         StreamOptions& options);

// "90s", "30m", "6h", "7d", "250ms": milliseconds. An error names the flag.
Result<int64_t> parse_duration(std::string_view flag, std::string_view text);

// Options that would do nothing next to others are a misunderstanding, and refused.

// Options that do something only under a condition.
struct OptionCondition {
  std::vector<std::string_view> options;  // "--lanes"; "INPUT"
  bool applies;
  std::vector<std::string_view> others;  // by whose values it does not: "--engine"
  std::string_view meant_for;            // "--engine lsh or auto"
};

// An error of kind usage about the first option that the user gave and that does not apply: it
// names the others with their values, given or not, and what the option is for.
Status refuse_idle_options(const CLI::App& command, const std::vector<OptionCondition>& conditions);

// What applies to which values of the other options. What an option says that is so anyway, such
// as --topics none without neighbours, is no misunderstanding.
std::vector<OptionCondition> conditions_of(const ClusterOptions& options);
std::vector<OptionCondition> conditions_of(const DedupOptions& options);
// unit: nothing where whole documents are compared.
std::vector<OptionCondition> conditions_of(std::optional<PassageUnit> unit,
                                           const PassageOptions& options);
std::vector<OptionCondition> conditions_of(const StreamOptions& options);

}  // namespace kith::cli
