#include "summary.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "console.h"
#include "text_format.h"

namespace kith::cli {
namespace {

// A kind of things that are counted, as reports name it and in words.
struct Words {
  std::string_view kind, one, many;
};

// Counts by kind, e.g. "340 later captures of a URL, 1 damaged record".
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
  constexpr Words words[] = {{"other_record", "record that is no page by its type",
                              "records that are no pages by their type"},
                             {"status", "with another HTTP status", "with another HTTP status"},
                             {"media_type", "of another media type", "of another media type"},
                             {"bad_url", "without a usable URL", "without a usable URL"},
                             {"duplicate", "later capture of a URL", "later captures of a URL"},
                             {"damaged", "damaged", "damaged"},
                             {"empty", "empty", "empty"}};
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
      {"no_file", "pipe, socket or device", "pipes, sockets or devices"}};
  return counts_text(crawl.left_out, words);
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

void print_crawl(const CrawlCounts& crawl, const ReadOptions& options, std::FILE* out) {
  row(out, "read", "{} ({} of text and markup) from {} in {}", counted(crawl.pages, "page"),
      human_bytes(static_cast<double>(crawl.page_bytes)), counted(crawl.records, "record"),
      counted(crawl.files, "file"));
  if (!crawl.skipped.empty()) row(out, "passed over", "{}", skipped_text(crawl));
  if (!crawl.left_out.empty()) row(out, "left out", "{}", left_out_text(crawl));
  if (crawl.cut_pages > 0) {
    row(out, "cut", "{} at {}", counted(crawl.cut_pages, "page"),
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
    row(out, "redirects", "{} of the records passed over for their status",
        with_commas(crawl.redirects));
  }
}

std::string no_page_text(const CrawlCounts& crawl) {
  return fmt::format("the input has no page{}",
                     crawl.skipped.empty() ? "" : "; what it has was passed over, as told above");
}

void print_skip_examples(const CrawlCounts& crawl, std::FILE* out) {
  if (crawl.examples.empty()) return;
  print_to(out, "\nPassed over, the first ones\n");
  for (const SkippedRecord& skipped : crawl.examples) {
    print_to(out, "  {}:{}: {}: {}\n", printable(skipped.file), skipped.offset, skipped.kind,
             printable(skipped.reason));
  }
}

void print_broken_promise(const Report& report, std::FILE* out) {
  if (!report.check.keeps_promise()) row(out, "warning", "{}", broken_promise(report.check));
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
  const std::string neighbours =
      report.options.neighbours == 0
          ? ""
          : fmt::format(
                "; neighbours recall {} at or above the threshold, {} of all {}, precision {}",
                percent(check.similar_neighbour_recall), percent(check.neighbour_recall),
                report.options.neighbours, percent(check.neighbour_precision));
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
    if (graph == report.options.topic_graph || needed >= counts.missing_memory) continue;
    text += fmt::format("; --topic-graph {} needs {}, which {}", name(graph),
                        human_memory(static_cast<double>(needed)),
                        needed <= report.memory ? "fits" : "does not fit either");
  }
  return text;
}

void print_topics(const Report& report, std::FILE* out) {
  const TopicCounts& counts = report.topics;
  if (counts.missing_memory > 0) {
    row(out, "topics",
        "none, since they need {} of memory; the same command with more makes them{}",
        human_memory(static_cast<double>(counts.missing_memory)), smaller_graphs(report));
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

namespace {

void print_aliases(const AliasReport& aliases, bool are_folded, std::FILE* out) {
  const uint64_t met = aliases.canonical + aliases.refresh + aliases.redirect;
  if (met == 0) return;
  const std::string kinds = fmt::format(
      "{} another URL in their place ({} by a canonical link, {} by a refresh, {} by a redirect)",
      counted(met, "URL names", "URLs name"), with_commas(aliases.canonical),
      with_commas(aliases.refresh), with_commas(aliases.redirect));
  if (!are_folded) {
    row(out, "aliases", "{}; --aliases would fold them", kinds);
    return;
  }
  row(out, "aliases", "{}; {} folded into {}{}", kinds, with_commas(aliases.folded),
      with_commas(aliases.targets),
      aliases.folded == 0 ? ""
                          : fmt::format(", the most ({}) into {}", with_commas(aliases.largest),
                                        aliases.largest_target));
}

void print_bags(const Report& report, std::FILE* out) {
  const BagsCounts& bags = report.bags;
  row(out, "URLs", "{}, {} of them fetched; {} without words, {} with the same bag as another",
      with_commas(bags.urls), with_commas(bags.fetched), with_commas(bags.empty),
      with_commas(bags.duplicates));
  if (bags.left_out > 0) {
    row(out, "left out", "{} that were only seen in links, {}", counted(bags.left_out, "URL"),
        report.options.urls == UrlScope::fetched
            ? "as --urls fetched asks"
            : "from one host and in fewer than three different windows; --urls all keeps them");
  }
  if (bags.copies > 0) {
    row(out, "copies", "{} have their text in common with others ({}); links to one count for all",
        counted(bags.copies, "page"), counted(bags.copied, "different text"));
  }
  const uint64_t filled = std::max<uint64_t>(1, bags.urls - bags.empty);
  row(out, "bags", "{}, {:.1f} words each on average, from a dictionary of {}",
      name(report.options.bags), static_cast<double>(bags.entries) / static_cast<double>(filled),
      counted(bags.terms, "word"));
}

std::string split_text(uint64_t buckets, uint64_t largest) {
  if (buckets == 0) return "";
  return fmt::format("; {} too large and split (largest: {})",
                     counted(buckets, "bucket was", "buckets were"), counted(largest, "bag"));
}

// Where the pairs of a run by the paper met, and how many passes the filter took for a round.
std::string filter_text(const EngineReport& engine, const PairCounts& pairs) {
  return fmt::format(
      "{} rounds, {} passed the filter (blocks of signatures: {}, passes a round: {})",
      engine.tables, with_commas(pairs.passed), pairs.blocks,
      pairs.blocks * (pairs.blocks + 1) / 2);
}

void print_pairs(const Report& report, std::FILE* out) {
  const PairCounts& pairs = report.pairs;
  if (pairs.collisions == 0) return;
  const bool by_paper = report.engine.engine == EngineChoice::paper;
  row(out, "pairs", "{} met in {}, {} compared exactly, {} at or above the threshold{}",
      with_commas(pairs.collisions), by_paper ? filter_text(report.engine, pairs) : "the tables",
      with_commas(pairs.candidates), with_commas(pairs.similar),
      split_text(pairs.split_buckets, pairs.largest_split));
  if (pairs.rare_postings > 0) {
    row(out, "rare words",
        "{} entries of their lists read, {} compared exactly, {} near enough to be listed",
        with_commas(pairs.rare_postings), with_commas(pairs.rare_compared),
        with_commas(pairs.rare_found));
  }
  if (pairs.refined_candidates == 0) return;
  row(out, "neighbours",
      "{} neighbours of neighbours looked at, {} compared exactly, {} near enough to be listed",
      with_commas(pairs.refined_candidates), with_commas(pairs.refined_compared),
      with_commas(pairs.refined_found));
}

void print_smooth(const SmoothReport& smooth, std::FILE* out) {
  if (smooth.listed == 0) return;
  const double others = static_cast<double>(smooth.others) / static_cast<double>(smooth.listed);
  row(out, "smoothed", "lists by smoothed bags, {} of {} not in the lists by the pages' own bags{}",
      percent(others), counted(smooth.listed, "neighbour"),
      smooth.tables == 0 ? ""
                         : fmt::format("; {} tables of {} for a similarity of {:.3g}",
                                       smooth.tables, smooth.per_key, smooth.similarity));
}

void print_choices(const Report& report, std::FILE* out) {
  print_threshold(report, out);
  row(out, "engine", "{}: {}", name(report.engine.engine), report.engine.reason);
  print_pairs(report, out);
  print_smooth(report.smooth, out);
}

void print_clusters(const Report& report, std::FILE* out) {
  const ClusterCounts& counts = report.clusters;
  row(out, "clusters", "{}{}", clusters_text(report),
      split_text(counts.split_buckets, counts.largest_split));
  print_within(report, out);
}

void print_topic_levels(const TopicCounts& counts, std::FILE* out) {
  if (counts.levels.empty()) return;
  print_to(out, "\nTopics by level, of {} with {} (modularity {:.3f}) in a graph of {}\n",
           counted(counts.pages, "page"), counted(counts.communities, "community", "communities"),
           counts.modularity, counted(counts.edges, "edge"));
  print_to(out, "level     topics     leaves    largest     median   cohesion\n");
  for (size_t i = 0; i < counts.levels.size(); ++i) {
    const TopicLevel& level = counts.levels[i];
    print_to(out, "{:>5} {:>10} {:>10} {:>10} {:>10} {:>10.3f}\n", i + 1, with_commas(level.topics),
             with_commas(level.leaves), with_commas(level.largest), with_commas(level.median),
             level.cohesion);
  }
}

void print_steps(const std::vector<StageReport>& steps, std::FILE* out) {
  if (!steps.empty()) print_to(out, "\nsteps of pairs and cluster\n");
  for (const StageReport& step : steps) print_stage(step, "", out);
}

// A step of a run by the paper and the rows of the paper's Table 1 that it answers to, for 20
// million URLs (docs/algorithms/paper.md).
struct PaperStep {
  std::string_view steps;  // of the report, one after the other
  std::string_view row;
  double hours;  // of the paper's machines, one after the other
};
constexpr PaperStep paper_steps[] = {
    {"bags", "bag generation, bag sorting", 23 + 4.7},
    {"signatures", "MH-signature generation", 26},
    {"pairs", "pair generation", 16},
    {"filter", "pair filter", 83},
    {"repeats sort", "sorting", 107},
    {"center", "CENTER", 18},
};
constexpr double paper_urls = 20e6;

double seconds_of(const Report& report, std::string_view steps) {
  double seconds = 0;
  for (const StageReport& stage : report.stages) {
    if (steps == "bags" && stage.stage == steps) seconds += stage.seconds;
  }
  for (const StageReport& step : report.steps) {
    if (steps.find(step.stage) != std::string_view::npos) seconds += step.seconds;
  }
  return seconds;
}

// The times beside the paper's, which all count on one of its machines, in time per URL.
void print_paper_times(const Report& report, std::FILE* out) {
  if (report.engine.engine != EngineChoice::paper || report.bags.urls == 0) return;
  const auto per_url = [](double seconds, double urls) {
    return fmt::format("{:.4f} ms", 1000 * seconds / urls);
  };
  const auto urls = static_cast<double>(report.bags.urls);
  print_to(out, "\n{:<32}{:>14}{:>14}{:>14}{:>16}\n", "Table 1 of the paper", "this run", "per URL",
           "the paper", "paper, per URL");
  const auto print = [&](std::string_view name, double seconds, double hours) {
    print_to(out, "{:<32}{:>14}{:>14}{:>14}{:>16}\n", name, human_seconds(seconds),
             per_url(seconds, urls), fmt::format("{:.1f} h", hours),
             per_url(3600 * hours, paper_urls));
  };
  double total = 0;
  double total_hours = 0;
  for (const PaperStep& step : paper_steps) {
    const double seconds = seconds_of(report, step.steps);
    print(step.row, seconds, step.hours);
    total += seconds;
    total_hours += step.hours;
  }
  const PaperStep& bags = paper_steps[0];
  print("from bags to clusters", total - seconds_of(report, bags.steps), total_hours - bags.hours);
  print("all of these", total, total_hours);
}

std::string quantiles_text(const Quantiles& q) {
  return fmt::format("{:.3f}  {:.3f}  {:.3f}  {:.3f}  {:.3f}", q.p10, q.p25, q.p50, q.p75, q.p90);
}

void print_threshold_distribution(const Report& report, std::FILE* out) {
  const ThresholdReport& threshold = report.threshold;
  if (threshold.queries == 0) return;
  print_to(out, "\nSimilarity of neighbours, over {} (percentiles)\n{:<14}{}\n",
           counted(threshold.queries, "sampled URL"), "", " 10th   25th   50th   75th   90th");
  print_to(out, "{:<14}{}\n", "the nearest", quantiles_text(threshold.nearest));
  print_to(out, "{:<14}{}\n", "the tenth", quantiles_text(threshold.tenth));
  print_to(out, "{:<14}{}\n", "the twentieth", quantiles_text(threshold.twentieth));
}

void print_considered_tables(const Report& report, std::FILE* out) {
  const EngineReport& engine = report.engine;
  if (engine.considered.empty()) return;
  print_to(
      out,
      "\nTables considered at threshold {:.3g}: the fewest for the recall, and what they would "
      "cost on one core\n",
      engine.considered_threshold);
  print_to(out, "  k     l  recall    probes  candidates  exact checks          time    leaders\n");
  for (const TablesReport& tables : engine.considered) {
    print_to(out, "{:>3} {:>5}  {:>6}  {:>8.2g}  {:>10.2g}  {:>12.2g}  {:>12}  {:>9}{}\n",
             tables.per_key, tables.tables, percent(tables.recall), tables.probes,
             tables.candidates, tables.exact_checks, human_seconds(tables.seconds),
             human_memory(tables.memory), tables.chosen ? "  cheapest" : "");
  }
  print_to(out, "exact engine {:>54}{}\n", human_seconds(engine.exact_seconds),
           engine.engine == EngineChoice::exact ? "  (taken)" : "");
}

void print_run(const Report& report, std::FILE* out) {
  print_crawl(report.crawl, report.options, out);
  print_boilerplate(report.boilerplate, out);
  print_aliases(report.aliases, folds_aliases(report.options), out);
  print_bags(report, out);
  print_choices(report, out);
  print_clusters(report, out);
  print_topics(report, out);
  print_warning(report, out);
  print_check(report, out);
  print_stages(report.stages, report.peak_memory, out);
  print_steps(report.steps, out);
}

}  // namespace

std::string broken_promise(const CheckReport& check) {
  return fmt::format(
      "similar pairs were missed: the measured recall is {}, at most {}, where {} is expected",
      percent(check.pair_recall), percent(check.recall_upper), percent(check.promised));
}

void print_shard_summary(const Report& report, bool is_of_crawl, std::FILE* out) {
  print_crawl(report.crawl, report.options, out);
  row(out, "shard", "{} of {}; 'kith merge' makes a run of all of them", report.options.shard,
      report.options.shards);
  if (is_of_crawl && report.crawl.files == 0) {
    row(out, "warning",
        "this shard is empty: shards are made of whole files, of which there are fewer than {}",
        report.options.shards);
  }
  print_stages(report.stages, report.peak_memory, out);
  print_steps(report.steps, out);
}

void print_info(const Report& report, std::FILE* out) {
  const ClusterOptions& options = report.options;
  print_broken_promise(report, out);
  for (const std::string& input : options.inputs) row(out, "input", "{}", input);
  row(out, "options", "bags {}{}, urls {}, links {}, window {}, weighting {}, df {} to {:.3g}",
      name(options.bags),
      options.bags == BagKind::both ? fmt::format(" (content {:.3g})", options.content_share) : "",
      name(options.urls), name(options.links), window_of(options), name(options.weighting),
      options.min_df, options.max_df);
  row(out, "",
      "min-words {}, order {}, assign {}, neighbours {}, other sites {}, "
      "recall {:.3g}, seed {}",
      options.min_words, name(report.clusters.order), name(options.assign), options.neighbours,
      report.pairs.has_other_sites() ? options.other_sites : 0, options.recall, options.seed);
  row(out, "made by", "kith {} with {} and {} of memory", report.version,
      counted(report.threads, "thread"), human_memory(static_cast<double>(report.memory)));
  print_run(report, out);
  print_paper_times(report, out);
  const TextCounts& text = report.text;
  print_to(out, "\n");
  row(out, "text", "{}; {}, of them {} to no web page and {} to the page itself",
      counted(text.words, "word"), counted(text.links, "link"), with_commas(text.bad_links),
      with_commas(text.self_links));
  const BagsCounts& bags = report.bags;
  row(out, "dictionary", "{} stems met, {} kept, {} of them too frequent to count",
      with_commas(bags.vocabulary), with_commas(bags.terms), with_commas(bags.frequent_terms));
  row(out, "partitions", "{} with {} of fragments", with_commas(bags.partitions),
      human_bytes(static_cast<double>(bags.fragment_bytes)));
  if (bags.rescued > 0) {
    row(out, "rescued", "{} frequent words only, which are kept",
        counted(bags.rescued, "bag has", "bags have"));
  }
  if (bags.cut_entries > 0) {
    const uint32_t most = max_terms_of(options);
    row(out, "cut", "{} of bags with more than {}", counted(bags.cut_entries, "word"),
        with_commas(most == 0 ? 65536 : most));
  }
  print_threshold_distribution(report, out);
  print_boilerplate_hosts(report.boilerplate, out);
  print_considered_tables(report, out);
  print_topic_levels(report.topics, out);
  print_skip_examples(report.crawl, out);
}

}  // namespace kith::cli
