#include "cli/output/summary.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/output/console.h"
#include "cli/output/output.h"

namespace kith::cli {
namespace {

// A kind of things that are counted, as reports name it and in words.
struct Words {
  std::string_view kind, one, many;
};

// Counts by kind, e.g. "340 other captures of a URL, 1 damaged record".
std::string counts_text(const std::vector<std::pair<std::string, uint64_t>>& counts,
                        std::span<const Words> words) {
  std::string text;
  for (const auto& [kind, count] : counts) {
    const auto found = std::ranges::find(words, kind, &Words::kind);
    const std::string_view name = found == words.end() ? std::string_view(kind)
                                  : count == 1         ? found->one
                                                       : found->many;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", with_commas(count), name);
  }
  return text;
}

// What was read and is no page, in words.
std::string skipped_text(const CrawlCounts& crawl) {
  constexpr Words words[] = {
      {"other_record", "record that is no page by its type",
       "records that are no pages by their type"},
      {"status", "with another HTTP status", "with another HTTP status"},
      {"media_type", "of another media type", "of another media type"},
      {"bad_url", "without a usable URL", "without a usable URL"},
      {"duplicate", "other capture of a URL", "other captures of a URL"},
      {"joined", "under another spelling of a URL (--url-rules)",
       "under other spellings of URLs (--url-rules)"},
      {"revisit", "revisit", "revisits"},
      {"damaged", "damaged", "damaged"},
      {"empty", "empty", "empty"},
      {"filtered", "left out by a filter or a list", "left out by a filter or a list"},
      {"pdf", "PDF or PostScript file", "PDF or PostScript files"},
      {"image", "image", "images"},
      {"archive", "packed or office file", "packed or office files"},
      {"font", "font", "fonts"},
      {"media", "audio or video file", "audio or video files"},
      {"executable", "executable", "executables"},
      {"binary", "of bytes that are no text", "of bytes that are no text"}};
  return counts_text(crawl.skipped, words);
}

// What was not read of the input folders, in words.
std::string left_out_text(const CrawlCounts& crawl) {
  constexpr Words words[] = {
      {"other_file", "file that is no crawl file by its name",
       "files that are no crawl files by their names"},
      {"page_file", "HTML or text file beside crawl files",
       "HTML or text files beside crawl files"},
      {"run_folder", "run directory of kith", "run directories of kith"},
      {"linked_folder", "folder behind a symbolic link", "folders behind symbolic links"},
      {"broken_link", "link that leads nowhere", "links that lead nowhere"},
      {"no_file", "pipe, socket or device", "pipes, sockets or devices"},
      {"replaced", "file that a later one of the same name in a zip file or tar replaces",
       "files that later ones of the same names in zip files or tars replace"}};
  return counts_text(crawl.left_out, words);
}

// By which fields rows were read: "content as text (48 rows), id as id (48)".
std::string fields_text(const RowCounts& rows) {
  std::string text;
  for (const FieldCount& count : rows.fields) {
    const std::string what = count.part == "place"
                                 ? "the file and the number of the row as name"
                                 : fmt::format("{} as {}", printable(count.field), count.part);
    text += text.empty() ? fmt::format("{} ({})", what, counted(count.rows, "row"))
                         : fmt::format(", {} ({})", what, with_commas(count.rows));
  }
  return text;
}

void print_stage(const StageReport& stage, const std::string& remark, std::FILE* out) {
  print_to(out, "{:<22}{:>14}{:>14}{}\n", stage.stage, human_seconds(stage.seconds),
           human_memory(static_cast<double>(stage.peak_memory)), remark);
}

std::string origin_text(const StageReport& stage) {
  if (!stage.damage.empty()) return fmt::format("   (made anew: {})", printable(stage.damage));
  return stage.reused ? "   (from an earlier run)" : "";
}

}  // namespace

void print_large_folds(const AliasReport& aliases, std::FILE* out) {
  for (const FoldedPages& one : aliases.large) {
    row(out, "folded", "{} pages into {}, whose host has {} with them", with_commas(one.pages),
        one.target, with_commas(one.of));
  }
}

void print_stages(const std::vector<StageReport>& stages, uint64_t peak_memory, std::FILE* out) {
  print_to(out, "\n{:<22}{:>14}{:>14}\n", "stage", "time", "memory");
  StageReport all{.stage = "all", .peak_memory = peak_memory};
  for (const StageReport& stage : stages) {
    all.seconds += stage.seconds;
    all.peak_memory = std::max(all.peak_memory, stage.peak_memory);
    print_stage(stage, origin_text(stage), out);
  }
  print_stage(all, "", out);
}

void print_memory(const JobReport& report, std::FILE* out) {
  const auto print = [&](std::string_view stage, std::string_view share, uint64_t bytes) {
    print_to(out, "{:<12}{:<36}{:>14}\n", stage, share, human_memory(static_cast<double>(bytes)));
  };
  print_to(out, "{:<12}{:<36}{:>14}\n", "stage", "share", "memory");
  print("all", "--memory", report.memory);
  print("all", "taken at most, as measured", report.peak_memory);
  for (const StageReport& stage : report.stages) {
    for (const MemoryShare& given : stage.memory) {
      print(stage.stage, printable(given.share), given.bytes);
    }
  }
  print_to(out, "\nSteps of a stage that follow one another share the same memory.\n");
}

void print_crawl(const CrawlCounts& crawl, const ReadOptions& options, std::FILE* out) {
  row(out, "read", "{} ({} of text and markup) from {} in {}", counted(crawl.pages, "page"),
      human_bytes(static_cast<double>(crawl.page_bytes)), counted(crawl.records, "record"),
      counted(crawl.files, "file"));
  if (!crawl.skipped.empty()) row(out, "skipped", "{}", skipped_text(crawl));
  if (!crawl.rows.fields.empty()) row(out, "fields", "{}", fields_text(crawl.rows));
  if (!crawl.left_out.empty()) row(out, "left out", "{}", left_out_text(crawl));
  if (crawl.named > 0) {
    row(out, "only", "{} of {} found", with_commas(crawl.found), counted(crawl.named, "named URL"));
  }
  if (crawl.cut_pages > 0) {
    row(out, "cut", "{} at {}, or by the archive", counted(crawl.cut_pages, "page"),
        human_memory(static_cast<double>(options.max_page)));
  }
  if (crawl.short_pages > 0) {
    row(out, "cut short", "{} whose encoded payload, or file, ends early",
        counted(crawl.short_pages, "page"));
  }
  if (crawl.bare_responses > 0) {
    row(out, "no HTTP head", "{} without an HTTP head", counted(crawl.bare_responses, "record"));
  }
  if (crawl.mended_lines > 0) {
    row(out, "mended", "{}, with U+FFFD for what was not UTF-8",
        counted(crawl.mended_lines, "JSON line"));
  }
  if (crawl.redirects > 0) {
    row(out, "redirects", "{} of the records skipped for their status",
        with_commas(crawl.redirects));
  }
  if (crawl.lost_revisits > 0) {
    row(out, "revisits", "{} a page that the input does not have",
        counted(crawl.lost_revisits, "is of", "are of"));
  }
}

namespace {

// What to do where no row has text.
std::string no_text_field(const RowCounts& rows) {
  std::vector<std::string> seen;
  for (const std::string& name : rows.seen) seen.push_back(printable(name));
  if (seen.empty()) return "its rows have no fields";
  return fmt::format(
      "its rows have the fields {}, of which none is read as text: name one, as in "
      "--text-field {}",
      fmt::join(seen, ", "), seen.back());
}

}  // namespace

bool has_no_text_field(const CrawlCounts& crawl) {
  return crawl.rows.without_text > 0 && crawl.rows.without_text >= crawl.pages;
}

std::string no_page_text(const CrawlCounts& crawl) {
  if (has_no_text_field(crawl)) return no_text_field(crawl.rows);
  return fmt::format("the input has no page{}",
                     crawl.skipped.empty() ? "" : "; what it has was skipped, see above");
}

Error nothing_read(const CrawlCounts& crawl) {
  return {ErrorKind::not_found, fmt::format("nothing was read: {}", no_page_text(crawl))};
}

void print_skip_examples(const CrawlCounts& crawl, std::FILE* out) {
  if (crawl.examples.empty()) return;
  print_to(out, "\nSkipped, the first ones\n");
  for (const SkippedRecord& skipped : crawl.examples) {
    print_to(out, "  {}:{}: {}: {}\n", printable(skipped.file), skipped.offset, skipped.kind,
             printable(skipped.reason));
  }
}

namespace {

// Months, or the years that they are of where they are many.
std::vector<std::pair<std::string, uint64_t>> bars_of(const CrawlCounts& crawl) {
  constexpr size_t max_months = 36;
  constexpr size_t year_digits = 4;
  if (crawl.months.size() <= max_months) return crawl.months;
  std::vector<std::pair<std::string, uint64_t>> years;
  for (const auto& [month, pages] : crawl.months) {
    const std::string year = month.substr(0, year_digits);
    if (years.empty() || years.back().first != year) years.emplace_back(year, 0);
    years.back().second += pages;
  }
  return years;
}

}  // namespace

void print_timeline(const CrawlCounts& crawl, std::FILE* out) {
  constexpr double width = 50;
  const auto bars = bars_of(crawl);
  if (bars.empty()) return;
  const bool are_months = bars.size() == crawl.months.size();
  print_to(out, "\nPages by {} of capture\n", are_months ? "month" : "year");
  uint64_t most = 1;
  for (const auto& [time, pages] : bars) most = std::max(most, pages);
  for (const auto& [time, pages] : bars) {
    const double share = static_cast<double>(pages) / static_cast<double>(most);
    print_to(out, "  {:<8}{:>12}  {}\n", time, with_commas(pages),
             std::string(static_cast<size_t>(std::ceil(share * width)), '#'));
  }
}

void print_broken_promise(const Report& report, std::FILE* out) {
  const CheckReport& check = report.check;
  if (!check.keeps_promise()) row(out, "warning", "{}", broken_promise(check));
  // Lists promise nothing; in a large family of pages they may have few of their nearest.
  constexpr double far_below = 0.75;
  if (report.options.neighbours > 0 &&
      check.similar_neighbour_recall < far_below * check.promised) {
    row(out, "warning",
        "related pages were missed: of those at or above the threshold {} were found, where {} of "
        "the similar pairs are expected; --engine exact misses none",
        percent(check.similar_neighbour_recall), percent(check.promised));
  }
}

void print_warning(const Report& report, std::FILE* out) {
  if (report.bags.urls == 0) {
    row(out, "warning", "nothing to cluster: {}", no_page_text(report.crawl));
  } else if (report.bags.urls == report.bags.empty) {
    row(out, "warning",
        "nothing to cluster: no URL has a word that counts; --bags {}, --min-df and --max-df "
        "decide which words do",
        report.options.bags == BagKind::anchor ? "content" : "anchor");
  } else if (report.bags.urls == report.bags.empty + report.clusters.few_words) {
    row(out, "warning",
        "nothing to cluster: no URL has {} different words that count; --min-words says how many "
        "it takes",
        report.options.min_words);
  } else if (report.clusters.clusters == 0) {
    row(out, "warning", "no two URLs are similar enough for a cluster: the threshold is {:.3g}",
        report.threshold.similarity);
  }
}

std::string clusters_text(const Report& report) {
  const ClusterCounts& counts = report.clusters;
  const std::string few =
      counts.few_words == 0 ? ""
                            : fmt::format(", {} of them with fewer than {} different words",
                                          with_commas(counts.few_words), report.options.min_words);
  return fmt::format("{} with {} in all; {} in no cluster{}", counted(counts.clusters, "cluster"),
                     counted(counts.clustered, "URL"), counted(counts.singles, "URL"), few);
}

void print_paper_bags(const Report& report, std::FILE* out) {
  if (report.options.engine != EngineChoice::paper || report.own_bags) return;
  const ClusterOptions& made = report.options;
  row(out, "note",
      "the bags are those of {} (bags {}, urls {}, boilerplate {}), and have no time in Table 1; "
      "'kith paper' on the crawl makes those of the paper",
      made.inputs.front(), name(made.bags), name(made.urls), name(made.boilerplate));
}

void print_threshold(const Report& report, std::FILE* out) {
  row(out, "threshold", "similarity {:.3g}: {}", report.threshold.similarity,
      report.threshold.reason);
}

void print_check(const Report& report, std::FILE* out) {
  if (report.pairs.skipped) {
    row(out, "pairs",
        "not looked for, nor their recall measured: neighbours 0 and order {} need none",
        name(report.clusters.order));
  }
  const CheckReport& check = report.check;
  if (check.queries == 0) return;
  std::string neighbours;
  if (report.options.neighbours > 0) {
    neighbours = fmt::format("; neighbours recall {} at or above the threshold{}, precision {}",
                             percent(check.similar_neighbour_recall),
                             related_of(report.options) == RelatedPages::similar
                                 ? ""
                                 : fmt::format(", {} of all {}", percent(check.neighbour_recall),
                                               report.options.neighbours),
                             percent(check.neighbour_precision));
  }
  row(out, "measured", "on {} against all others: pairs recall {}, precision {}{}",
      counted(check.queries, "URL"), percent(check.pair_recall), percent(check.pair_precision),
      neighbours);
}

void print_within(const Report& report, std::FILE* out) {
  const WithinReport& within = report.within;
  if (within.classes == 0) return;
  row(out, "within", "{} of up to {}{}; {} without a class",
      counted(within.classes, "class", "classes"), counted(within.largest, "URL"),
      within.alone == 0 ? "" : fmt::format(", {} of one", with_commas(within.alone)),
      counted(within.without, "URL"));
  if (within.skipped_rows > 0) {
    row(out, "", "{} of the table without a URL or a class", counted(within.skipped_rows, "row"));
  }
  if (within.unknown > 0) {
    row(out, "", "{} of the table not in the run, such as {}", counted(within.unknown, "URL"),
        fmt::join(within.unknown_urls, ", "));
  }
  const CheckReport& check = report.check;
  const uint64_t pairs = check.true_pairs + check.cut_pairs;
  if (pairs > 0) {
    row(out, "", "of the similar pairs of {} {} are cut, since they are of two classes",
        counted(check.queries, "URL"),
        percent(static_cast<double>(check.cut_pairs) / static_cast<double>(pairs)));
  }
}

// What smaller graphs than the one that was asked for would need.
std::string smaller_graphs(const Report& report) {
  const TopicCounts& counts = report.topics;
  std::string text;
  for (const auto& [graph, needed] : {std::pair(TopicGraph::mutual, counts.mutual_memory),
                                      std::pair(TopicGraph::clusters, counts.clusters_memory)}) {
    if (graph == report.options.topics || needed == 0) continue;
    if (needed >= counts.missing_memory) continue;
    text += fmt::format("; --topics {} needs {}, which {}", name(graph),
                        human_memory(static_cast<double>(needed)),
                        needed <= report.memory ? "fits" : "does not fit either");
  }
  return text;
}

std::string missing_topics_text(const Report& report) {
  return fmt::format(
      "they need {} of memory, and --memory is {}; the same command with more makes "
      "them{}",
      human_memory(static_cast<double>(report.topics.missing_memory)),
      human_memory(static_cast<double>(report.memory)), smaller_graphs(report));
}

void print_missing_topics(const Report& report, std::FILE* out) {
  if (report.topics.missing_memory == 0) return;
  row(out, "warning", "no topics were made, since {}", missing_topics_text(report));
}

void print_topics(const Report& report, std::FILE* out) {
  const TopicCounts& counts = report.topics;
  if (counts.missing_memory > 0) {
    row(out, "topics", "none ({})", missing_topics_text(report));
  }
  if (counts.topics == 0) return;
  if (counts.levels.empty()) {
    row(out, "topics", "one of {}: nothing tells them apart", counted(counts.pages, "page"));
    return;
  }
  const uint64_t outside = report.bags.urls - counts.pages;
  row(out, "topics", "{} at the first level, {} in all, {}{}",
      with_commas(counts.levels.front().topics), with_commas(counts.topics - 1),
      counted(counts.levels.size(), "level"),
      outside == 0 ? "" : fmt::format("; {} in none", counted(outside, "URL")));
}

void print_boilerplate(const BoilerplateReport& boilerplate, std::FILE* out) {
  if (boilerplate.words == 0) return;
  row(out, "boilerplate", "{} of the words left out ({} of {}); {} with a template",
      percent(static_cast<double>(boilerplate.left_out) / static_cast<double>(boilerplate.words)),
      with_commas(boilerplate.left_out), with_commas(boilerplate.words),
      counted(boilerplate.hosts, "host"));
}

void print_boilerplate_hosts(const BoilerplateReport& boilerplate, std::FILE* out) {
  if (boilerplate.most.empty()) return;
  print_to(out, "\nBoilerplate, by the hosts that lost the most words ({} in all)\n",
           counted(boilerplate.blocks, "template block"));
  for (const HostBoilerplate& host : boilerplate.most) {
    print_to(out, "  {:<40} {:>7} of {} words\n", printable(host.host),
             percent(static_cast<double>(host.left_out) / static_cast<double>(host.words)),
             with_commas(host.words));
  }
}

void print_steps(const std::vector<StageReport>& steps, std::FILE* out) {
  if (!steps.empty()) print_to(out, "\nsteps of pairs and cluster\n");
  for (const StageReport& step : steps) print_stage(step, "", out);
}

std::string broken_promise(const CheckReport& check) {
  return fmt::format(
      "similar pairs were missed: the measured recall is {}, at most {}, where {} is expected",
      percent(check.pair_recall), percent(check.recall_upper), percent(check.promised));
}

}  // namespace kith::cli
