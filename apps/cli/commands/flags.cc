#include "cli/commands/flags.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/commands/command.h"
#include "cli/help/help.h"
#include "cli/output/console.h"
#include "cli/output/summary.h"
#include "cli/signals.h"

namespace kith::cli {

const char* const input_help = R"(
INPUT is a WARC or ARC file (.warc.gz, .warc.zst; of Common Crawl also .wet.gz and .wat.gz), JSON
lines or CSV (.jsonl, .csv, .tsv, with fields such as url, id, title, and text or html, or those
that --text-field and the like name), with the Python package Parquet, a folder (every crawl file
below it), a folder of HTML files with --base-url, a WACZ or another zip file or tar of such files,
or - for standard input. Also .gz, .zst, .xz, .bz2 and .lz4 are unpacked. The format is found by
content, not by name.
)";

namespace {

void add_field_flags(CLI::App& command, ReadOptions& options) {
  struct Field {
    const char* flag;
    std::string& value;
    const char* help;
  };
  const Field fields[] = {
      {"--text-field", options.text_field,
       "Of JSON lines, CSV and tables: what holds plain text (default: text, content, raw_content "
       "or markdown)"},
      {"--html-field", options.html_field, "What holds markup (default: html)"},
      {"--url-field", options.url_field, "What holds a URL (default: url or warc_target_uri)"},
      {"--id-field", options.id_field, "What names a row without a URL (default: id or doc_id)"},
      {"--title-field", options.title_field, "What holds a title (default: title)"},
      {"--time-field", options.time_field,
       "What says when a page was captured (default: warc_date, timestamp, date or time)"}};
  for (const Field& field : fields) {
    command.add_option(field.flag, field.value, field.help)
        ->type_name("FIELD")
        ->group(cli::group::rows);
  }
}

}  // namespace

void add_read_flags(CLI::App& command, ReadOptions& options, std::string& max_page) {
  command.add_option("INPUT", options.inputs, "Crawl files, folders, or -")->required();
  command.add_option("--base-url", options.base_url, "The URL of a folder of HTML files")
      ->type_name("URL");
  command
      .add_option("--status", options.status, "HTTP statuses of pages, e.g. 200,203 or 2xx or any")
      ->type_name("LIST")
      ->capture_default_str();
  command.add_option("--max-page", max_page, "Cut longer pages there (default: 8M)")
      ->type_name("SIZE");
  command
      .add_option("--language", options.language,
                  "Language of every page, e.g. de (default: detect it page by page)")
      ->type_name("TAG");
  command.add_flag("--strict", options.strict, "Fail at the first damaged record");
  command
      .add_option("--include", options.include,
                  "Read only pages that it matches, e.g. host:example.org; may be repeated (see "
                  "'kith help filters')")
      ->type_name("FILTER")
      ->allow_extra_args(false);
  command
      .add_option("--exclude", options.exclude,
                  "Leave out pages that it matches, e.g. url:/tag/; may be repeated")
      ->type_name("FILTER")
      ->allow_extra_args(false);
  command
      .add_option("--only", options.only,
                  "Read only the URLs in FILE: one in a line, or an index of captures (CDX, CDXJ)")
      ->type_name("FILE");
  command
      .add_option("--exclude-list", options.exclude_list,
                  "Leave out the URLs in FILE, a list as of --only; 'kith audit' writes one")
      ->type_name("FILE");
  add_field_flags(command, options);
  for (const char* const name : {"--base-url", "--status", "--max-page", "--language", "--strict",
                                 "--include", "--exclude", "--only", "--exclude-list"}) {
    command.get_option(name)->group(cli::group::reading);
  }
}

void add_url_rules_flag(CLI::App& command, std::string& rules) {
  const auto add = [&rules](const std::string& lines) {
    if (!rules.empty() && !rules.ends_with('\n')) rules += '\n';
    rules += lines;
  };
  const auto read = [add](const std::string& text) {
    if (text == "common") return add(text);
    std::ifstream file(text);
    std::ostringstream lines;
    lines << file.rdbuf();
    if (!file.is_open() || file.bad() || lines.str().empty()) {
      throw CLI::ValidationError(
          "--url-rules", fmt::format("{}: is not 'common', and no file of rules", printable(text)));
    }
    add(lines.str());
  };
  command
      .add_option_function<std::string>("--url-rules", read,
                                        "Join spellings of URLs: common drops sessions and "
                                        "tracking, orders parameters, and mends "
                                        "escapes; or a file of rules")
      ->type_name("FILE|common")
      ->group(cli::group::reading);
  command
      .add_flag_callback(
          "--unwrap", [add] { add("unwrap"); },
          "Take URLs under which a web archive replays pages for those of the pages")
      ->group(cli::group::reading);
}

void add_captures_flag(CLI::App& command, Captures& captures) {
  // What is wrong with `all` is said where options are checked.
  add_choice(command, "--captures", captures, {Captures::first, Captures::last, Captures::all},
             "Which capture of a URL is its page, by date");
  command.get_option("--captures")->type_name("first|last")->group(cli::group::reading);
}

void add_resource_flags(CLI::App& command, std::string& memory, unsigned& threads) {
  command.add_option("--memory", memory, "Most memory to use, e.g. 4G (default: 3/4 of all)")
      ->type_name("SIZE")
      ->group(cli::group::resources);
  command.add_option("--threads", threads, "Threads (default: one per processor)")
      ->group(cli::group::resources);
}

Status read_size_flag(const char* flag, const std::string& text, uint64_t& size) {
  if (text.empty()) return Status::ok();
  const auto parsed = parse_size(text);
  if (!parsed) return Error{ErrorKind::usage, fmt::format("{}: {}", flag, parsed.error().message)};
  if (*parsed == 0) {
    return Error{ErrorKind::usage, fmt::format("{} {}: must be above 0", flag, text)};
  }
  size = *parsed;
  return Status::ok();
}

Status read_share_flag(const char* flag, const std::string& text, double& share) {
  if (text.empty()) return Status::ok();
  const bool is_percentage = text.ends_with('%');
  const char* const end = text.data() + text.size() - (is_percentage ? 1 : 0);
  double value = 0;
  const auto [at, error] = std::from_chars(text.data(), end, value);
  constexpr double whole = 100;
  share = is_percentage ? value / whole : value;
  if (error == std::errc() && at == end && share > 0 && share <= 1) return Status::ok();
  return Error{ErrorKind::usage,
               fmt::format("{} {}: must be above 0 and at most 1, or a percentage, such as 20%",
                           flag, text)};
}

Result<std::vector<std::string>> read_stop_words(const std::string& path) {
  const auto unusable = [&](std::string_view why) {
    return Error{ErrorKind::usage, fmt::format("--stop-words {}: {}", path, why)};
  };
  errno = 0;
  std::ifstream file(path);
  if (!file.is_open()) {
    return Error{ErrorKind::not_found,
                 fmt::format("cannot open {}: {}", path, std::strerror(errno))};
  }
  std::vector<std::string> words;
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (words.empty() && line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
    std::istringstream parts(line);
    for (std::string word; parts >> word && word.front() != '#';) words.push_back(word);
  }
  if (file.bad() || !file.eof()) return unusable("cannot be read");
  if (words.empty()) return unusable("has no words");
  return words;
}

namespace {

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

Status read_shard_flag(const std::string& text, ShardOptions& options) {
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
  KITH_TRY(read_shard_flag(flags.shard, flags.options));
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
