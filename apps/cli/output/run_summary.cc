// What `kith cluster` and `kith merge` end with.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/output/cluster_text.h"
#include "cli/output/console.h"
#include "cli/output/summary.h"
#include "cli/output/text_format.h"

namespace kith::cli {
namespace {

void print_urls(const Report& report, std::FILE* out) {
  const BagsCounts& bags = report.bags;
  const std::string empty =
      bags.empty == 0 ? "" : fmt::format("; {} without words", with_commas(bags.empty));
  row(out, "URLs", "{}, {} of them fetched{}", with_commas(bags.urls), with_commas(bags.fetched),
      empty);
}

// Only what the run can answer.
void print_next(const Report& report, std::FILE* out) {
  const std::string& directory = report.options.output;
  std::vector<NextStep> steps;
  if (report.clusters.clusters > 0) {
    steps.push_back({fmt::format("kith clusters {} --summary", directory),
                     "all clusters, with hosts and labels"});
  }
  if (!report.topics.levels.empty()) {
    steps.push_back({fmt::format("kith topics {}", directory), "the tree of topics"});
  }
  if (report.options.neighbours > 0 && report.bags.urls > report.bags.empty) {
    steps.push_back(
        {fmt::format("kith related {} URL", directory), "the pages most related to a page"});
  }
  steps.push_back({"kith info " + directory,
                   report.options.engine == EngineChoice::paper
                       ? "all that was read, chosen and measured, with Table 1 of the paper"
                       : "all that was read, chosen and measured"});
  print_next_steps(steps, out);
}

}  // namespace

void print_cost(const JobReport& report, std::FILE* out) {
  double seconds = 0;
  uint64_t memory = report.peak_memory;
  std::string reused;
  for (const StageReport& stage : report.stages) {
    seconds += stage.seconds;
    memory = std::max(memory, stage.peak_memory);
    if (stage.reused) reused += (reused.empty() ? "; from an earlier run: " : ", ") + stage.stage;
  }
  row(out, "took", "{}, {} of memory{}", human_seconds(seconds),
      human_memory(static_cast<double>(memory)), reused);
  for (const StageReport& stage : report.stages) {
    if (!stage.damage.empty()) row(out, "", "{} made anew: {}", stage.stage, stage.damage);
  }
}

void print_next_steps(const std::vector<NextStep>& steps, std::FILE* out) {
  size_t width = 0;
  for (const NextStep& step : steps) width = std::max(width, step.where.size());
  print_to(out, "\n");
  for (const NextStep& step : steps) {
    row(out, &step == steps.data() ? "next" : "", "{:<{}}  {}", step.where, width, step.what);
  }
}

Status print_largest(const Run& run, std::FILE* out) {
  constexpr uint64_t most = 5;
  const uint64_t count = std::min(most, run.report().clusters.clusters);
  if (count > 0) print_to(out, "\n");
  for (uint64_t number = 0; number < std::min(count, run.clusters()); ++number) {
    KITH_ASSIGN(const Cluster cluster, run.cluster(number));
    row(out, number == 0 ? "largest" : "", "{:>8}  {}", with_commas(cluster.members.size()),
        label_text(cluster));
  }
  return Status::ok();
}

void print_summary(const Report& report, std::FILE* out) {
  print_missing_topics(report, out);
  print_broken_promise(report, out);
  print_crawl(report.crawl, report.options, out);
  print_urls(report, out);
  print_large_folds(report.aliases, out);
  print_paper_bags(report, out);
  row(out, "clusters", "{}", clusters_text(report));
  print_within(report, out);
  print_topics(report, out);
  if (report.bags.urls > 0) print_warning(report, out);  // else the command fails and says so
  print_threshold(report, out);
  print_check(report, out);
  print_cost(report, out);
  const auto run = Run::open(report.options.output);
  // The run stands whether or not it can be read back here; `kith info` says why not.
  if (!run || !print_largest(*run, out)) return;
  print_next(report, out);
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

}  // namespace kith::cli
