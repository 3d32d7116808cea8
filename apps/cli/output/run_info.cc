// What `kith info` prints of a run.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/output/console.h"
#include "cli/output/output.h"
#include "cli/output/summary.h"

namespace kith::cli {
namespace {

// Why URLs that name another one were not folded.
void print_not_folded(const AliasReport& aliases, std::FILE* out) {
  const std::pair<uint64_t, std::string_view> reasons[] = {
      {aliases.other_text, "have other words than the page they name"},
      {aliases.other_page, "name a page that was not fetched, as do others with other words"},
      {aliases.fetched, "were redirected once and fetched at another time"},
      {aliases.circular, "name each other in a circle"}};
  for (const auto& [urls, reason] : reasons) {
    if (urls > 0) row(out, "not folded", "{} {}", with_commas(urls), reason);
  }
}

void print_aliases(const AliasReport& aliases, bool are_folded, std::FILE* out) {
  const uint64_t met = aliases.canonical + aliases.refresh + aliases.redirect;
  if (met == 0) return;
  const std::string kinds = fmt::format(
      "{} another URL in their place ({} by a canonical link, {} by a refresh, {} by a redirect)",
      counted(met, "URL names", "URLs name"), with_commas(aliases.canonical),
      with_commas(aliases.refresh), with_commas(aliases.redirect));
  if (!are_folded) {
    row(out, "aliases", "{}; --aliases fold would fold them", kinds);
    return;
  }
  row(out, "aliases", "{}; {} folded into {}{}", kinds, with_commas(aliases.folded),
      with_commas(aliases.targets),
      aliases.folded == 0 ? ""
                          : fmt::format(", the most ({}) into {}", with_commas(aliases.largest),
                                        aliases.largest_target));
  print_not_folded(aliases, out);
  print_large_folds(aliases, out);
}

void print_bags(const Report& report, std::FILE* out) {
  const BagsCounts& bags = report.bags;
  row(out, "URLs", "{}, {} of them fetched; {} without words, {} with the same bag as another",
      with_commas(bags.urls), with_commas(bags.fetched), with_commas(bags.empty),
      with_commas(bags.duplicates));
  if (bags.left_out > 0) {
    row(out, "left out", "{} that were only seen in links, {}", counted(bags.left_out, "URL"),
        report.options.urls == UrlScope::fetched
            ? "not fetched; --urls seen keeps those with links from two hosts or three pages"
            : "from fewer than three pages of one host; --urls all keeps them");
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
  const auto print = [&](std::string_view name, std::optional<double> seconds, double hours) {
    print_to(out, "{:<32}{:>14}{:>14}{:>14}{:>16}\n", name, seconds ? human_seconds(*seconds) : "-",
             seconds ? per_url(*seconds, urls) : "-", fmt::format("{:.1f} h", hours),
             per_url(3600 * hours, paper_urls));
  };
  // Bags of another run were only copied.
  std::optional<double> bags;
  if (report.own_bags) bags = seconds_of(report, paper_steps[0].steps);
  double from_bags = 0;
  double hours_from_bags = 0;
  for (const PaperStep& step : paper_steps) {
    const bool makes_bags = &step == paper_steps;
    const auto seconds = makes_bags ? bags : seconds_of(report, step.steps);
    print(step.row, seconds, step.hours);
    if (makes_bags) continue;
    from_bags += *seconds;
    hours_from_bags += step.hours;
  }
  print("from bags to clusters", from_bags, hours_from_bags);
  print("all of these", bags ? std::optional(*bags + from_bags) : std::nullopt,
        paper_steps[0].hours + hours_from_bags);
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
  print_paper_bags(report, out);
  print_choices(report, out);
  print_clusters(report, out);
  print_topics(report, out);
  print_warning(report, out);
  print_check(report, out);
  print_stages(report.stages, report.peak_memory, out);
  print_steps(report.steps, out);
}

}  // namespace

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
      "min-words {}, order {}, assign {}, neighbours {}{}, other sites {}, "
      "recall {:.3g}, seed {}",
      options.min_words, name(report.clusters.order), name(options.assign), options.neighbours,
      related_of(options) == RelatedPages::similar ? " (similar only)" : "",
      report.pairs.has_other_sites() ? options.other_sites : 0, options.recall, options.seed);
  row(out, "made by", "kith {} with {} and {} of memory", report.version,
      counted(report.threads, "thread"), human_memory(static_cast<double>(report.memory)));
  print_run(report, out);
  print_paper_times(report, out);
  const TextCounts& text = report.text;
  print_to(out, "\n");
  row(out, "text", "{}{}; {}, of them {} to no web page and {} to the page itself",
      counted(text.words, "word"),
      text.long_words == 0
          ? ""
          : fmt::format(", and {} over 64 letters that do not count", with_commas(text.long_words)),
      counted(text.links, "link"), with_commas(text.bad_links), with_commas(text.self_links));
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
  print_timeline(report.crawl, out);
  print_skip_examples(report.crawl, out);
}

}  // namespace kith::cli
