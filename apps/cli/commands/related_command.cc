// kith related: what is related to a page.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/commands/command.h"
#include "cli/output/console.h"
#include "cli/output/output.h"
#include "cli/output/summary.h"

namespace kith::cli {
namespace {

struct RelatedFlags {
  std::string directory;
  ListFormat format = ListFormat::tsv;
  std::string output;  // empty: standard output
  std::string url;
  size_t count = 10;
  bool other_sites = false;
  std::optional<uint32_t> per_site;
  bool why = false;
  bool brute_force = false;
};

constexpr size_t usual_per_site = 3;
constexpr size_t words_of_answer = 8;

// What is missing in the run, and the option of kith cluster that makes it.
Error keeps_none(const RelatedFlags& flags, const Run& run, std::string_view what,
                 std::string_view option) {
  const bool by_paper = run.report().options.engine == EngineChoice::paper;
  return {
      ErrorKind::usage,
      fmt::format("{0}: keeps no {1}, as it was made with {2}; 'kith cluster {0} -o OTHER {3} "
                  "{4}' makes a run of its bags that does",
                  flags.directory, what, by_paper ? "'kith paper'" : fmt::format("{} 0", option),
                  option, flags.count)};
}

// An error where the run has no lists; a message where they are shorter than asked for.
Status check_lists(const Run& run, const RelatedFlags& flags) {
  const ClusterOptions& options = run.report().options;
  if (options.neighbours == 0) return keeps_none(flags, run, "related pages", "--neighbours");
  if (flags.other_sites && options.other_sites == 0) {
    return keeps_none(flags, run, "related pages of other sites", "--other-sites");
  }
  const bool has_other_sites = run.report().pairs.has_other_sites();
  if (flags.other_sites && !has_other_sites) print_message("all URLs of the run are on one host");
  const size_t others = has_other_sites ? options.other_sites : 0;
  const size_t kept = flags.other_sites ? options.other_sites : options.neighbours + others;
  if (flags.count <= kept) return Status::ok();
  const std::string lists =
      flags.other_sites ? fmt::format("{} pages of other sites", options.other_sites)
      : has_other_sites
          ? fmt::format("{} neighbours and {} pages of other sites", options.neighbours, others)
          : fmt::format("{} neighbours", options.neighbours);
  print_message(fmt::format(
      "the run keeps {} a URL, fewer than -n {}; 'kith cluster {} -o OTHER {} {}' makes one that "
      "keeps more",
      lists, flags.count, flags.directory, flags.other_sites ? "--other-sites" : "--neighbours",
      flags.count));
  return Status::ok();
}

Result<std::vector<Related>> find_related(const Run& run, const RelatedFlags& flags, UrlId id) {
  if (flags.other_sites) return run.related_on_other_sites(id, flags.count);
  // Without a second list there is nothing that would take the places of what is left out.
  const bool has_other_sites = run.report().pairs.has_other_sites();
  const size_t per_site = flags.per_site.value_or(has_other_sites ? usual_per_site : 0);
  return run.related_by_site(id, flags.count, per_site);
}

// Of an empty list.
Status tell_why_none(const Run& run, UrlId id) {
  KITH_ASSIGN(const std::vector<TermWeight> bag, run.bag(id));
  print_message(bag.empty() ? "no page is related: the page has no words that count"
                            : "no page is related: no other has words of the page");
  return Status::ok();
}

// The place of a URL in a list, from 1; empty where it is not.
std::string rank_in(const std::vector<Related>& list, UrlId id) {
  const auto at = std::ranges::find(list, id, &Related::id);
  return at == list.end() ? "" : fmt::format("{}", at - list.begin() + 1);
}

// What is nearest, and what the index of the run has, as one list.
Status print_both_lists(const Run& run, const RelatedFlags& flags, UrlId id, Output& out) {
  if (related_of(run.report().options) == RelatedPages::smoothed) {
    return Error{
        ErrorKind::usage,
        fmt::format("--brute-force: compares the bags of pages, and the lists of {0} are by "
                    "smoothed bags; 'kith cluster {0} -o OTHER --related plain' makes others",
                    flags.directory)};
  }
  KITH_ASSIGN(std::vector<Related> rows, run.related_by_scan(id, flags.count));
  KITH_ASSIGN(const std::vector<Related> kept, run.related(id, flags.count));
  const std::vector<Related> nearest = rows;
  for (const Related& page : kept) {
    if (rank_in(nearest, page.id).empty()) rows.push_back(page);
  }
  std::ranges::sort(rows, [](const Related& a, const Related& b) {
    return a.similarity != b.similarity ? a.similarity > b.similarity : a.id < b.id;
  });
  const RowFormat format(flags.format,
                         {"url", {"similarity", RowColumn::Type::share}, "title", "scan", "index"});
  out.header(format);
  for (const Related& page : rows) {
    KITH_ASSIGN(const std::string url, run.url(page.id));
    KITH_ASSIGN(const std::string_view title, run.title(page.id));
    out.row(format,
            {url, page.similarity, title, rank_in(nearest, page.id), rank_in(kept, page.id)});
  }
  const auto found = std::ranges::count_if(
      nearest, [&](const Related& page) { return !rank_in(kept, page.id).empty(); });
  print_message(
      fmt::format("the index has {} of the {} nearest of all URLs", found, nearest.size()));
  return Status::ok();
}

Status print_related(const Run& run, const RelatedFlags& flags, Output& out) {
  KITH_ASSIGN(const FoundUrl asked, run.find_any(flags.url));
  if (asked.alias) {
    print_message(fmt::format("it is folded into {}", printable(asked.url)));
  } else if (!asked.exact) {
    print_message(fmt::format("the run has {}", printable(asked.url)));
  }
  const UrlId id = asked.id;
  KITH_TRY(check_lists(run, flags));
  if (flags.brute_force) return print_both_lists(run, flags, id, out);
  KITH_ASSIGN(const TopicColumn topics, TopicColumn::open(run, flags.directory));
  KITH_ASSIGN(const std::string topic, topics.described(id));
  // For people: the rows are about other pages.
  if (!topic.empty() && ::isatty(STDERR_FILENO) != 0) print_message("topic " + topic);
  using enum RowColumn::Type;
  std::vector<RowColumn> columns{"url",   {"similarity", share}, "title",
                                 "topic", {"fetched", boolean},  "date"};
  if (flags.why) columns.emplace_back("words", words);
  const RowFormat format(flags.format, columns);
  out.header(format);
  KITH_ASSIGN(const std::vector<Related> related, find_related(run, flags, id));
  if (related.empty()) KITH_TRY(tell_why_none(run, id));
  for (const Related& page : related) {
    KITH_ASSIGN(const std::string url, run.url(page.id));
    KITH_ASSIGN(const std::string_view title, run.title(page.id));
    KITH_ASSIGN(const std::string its_topic, topics.of(page.id));
    KITH_ASSIGN(const bool fetched, run.fetched(page.id));
    KITH_ASSIGN(const std::string date, run.date(page.id));
    if (!flags.why) {
      out.row(format, {url, page.similarity, title, its_topic, fetched, date});
      continue;
    }
    KITH_ASSIGN(const auto words, run.shared_words(id, page.id, words_of_answer));
    out.row(format, {url, page.similarity, title, its_topic, fetched, date, words});
  }
  return Status::ok();
}

// What the other flags are about a stream does not have.
Status print_related_in_stream(const Stream& stream, const RelatedFlags& flags, Output& out) {
  if (flags.per_site || flags.other_sites || flags.why || flags.brute_force) {
    return Error{
        ErrorKind::usage,
        fmt::format("--per-site, --other-sites, --why, --brute-force: {} is a stream, which keeps "
                    "no lists of sites and no words",
                    flags.directory)};
  }
  return print_stream_related(stream, flags.url, flags.count, flags.format, out);
}

}  // namespace

void add_related_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<RelatedFlags>();
  CLI::App* const command =
      add_reader(app, outcome, "related", "What is related to a page, most similar first", flags,
                 print_related, print_related_in_stream);
  command->add_option("URL", flags->url, "The page, in any spelling of its URL")->required();
  command->add_option("-n", flags->count, "How many")
      ->check(from_to(1, 1e6))
      ->capture_default_str();
  CLI::Option* const per_site = command->add_option(
      "--per-site", flags->per_site,
      "At most N of one host; 0: as many as there are (default: 3, unless the run has no "
      "pages of other sites to fill up with)");
  CLI::Option* const other_sites = command
                                       ->add_flag("--other-sites", flags->other_sites,
                                                  "Only pages of other hosts than that of URL")
                                       ->excludes(per_site);
  CLI::Option* const why = command->add_flag(
      "--why", flags->why, "Also the words that both bags have, heaviest first, up to 8");
  command
      ->add_flag("--brute-force", flags->brute_force,
                 "Compare the page with all bags: the nearest of all, the rank of each, and its "
                 "rank in the index, empty where the index missed it")
      ->excludes(per_site)
      ->excludes(other_sites)
      ->excludes(why);
  add_list_options(*command, flags->format, flags->output);
  command->footer(R"(
A run keeps two lists for every page: the nearest pages, most of which are of its own site, and the
nearest of other hosts. The answer has the nearest of both, but at most --per-site of one host.
Unless the run was made with --related plain, both are in the order of smoothed bags; similarities
are those of the pages themselves, and need not fall from row to row. Where the run does not know
URL, it is looked for with or without a slash at its end, "www." and with the other scheme. The
topics are paths of 'kith topics'; that of the page itself is printed on standard error, where that
is a terminal.

Examples:
  kith related run https://example.org/page -n 5
  kith related run https://example.org/page --other-sites --why
  kith related run https://example.org/page --format jsonl | jq .url)");
}

}  // namespace kith::cli
