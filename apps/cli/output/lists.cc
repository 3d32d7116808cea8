#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/output/console.h"
#include "cli/output/output.h"
#include "cli/output/summary.h"

namespace kith::cli {

// What `kith cluster` and `kith merge` end with.

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

void print_shard(const ShardOptions& options, bool is_of_files, uint64_t files, std::FILE* out) {
  row(out, "shard", "{} of {}; 'kith merge' makes a run of all of them", options.shard,
      options.shards);
  if (!is_of_files || files > 0) return;
  row(out, "warning",
      "this shard is empty: shards are made of whole files, of which there are fewer than {}",
      options.shards);
}

void print_shard_summary(const Report& report, bool is_of_crawl, std::FILE* out) {
  print_crawl(report.crawl, report.options, out);
  print_shard(report.options, is_of_crawl, report.crawl.files, out);
  print_stages(report.stages, report.peak_memory, out);
  print_steps(report.steps, out);
}

std::vector<std::string> host_texts(const Cluster& cluster) {
  std::vector<std::string> texts;
  for (const HostShare& host : cluster.hosts) {
    const size_t all = cluster.members.size();
    // Not rounded up: 100 % would be all.
    texts.push_back(host.members == all
                        ? host.host
                        : fmt::format("{} {} %", host.host, 100 * host.members / all));
  }
  return texts;
}

std::string label_text(const Cluster& cluster) {
  constexpr size_t most_hosts = 3;
  std::vector<std::string> hosts = host_texts(cluster);
  hosts.resize(std::min(hosts.size(), most_hosts));
  std::string on =
      hosts.empty() ? std::string("many hosts") : fmt::format("{}", fmt::join(hosts, ", "));
  if (cluster.label.empty()) return on;
  return fmt::format("{}: {}", on, fmt::join(cluster.label, ", "));
}

namespace {

using Count = std::pair<std::string_view, uint64_t>;

std::vector<Count> counts_of(const StreamCounts& of) {
  return {{"pages", of.pages},
          {"documents", of.documents},
          {"clusters", of.clusters},
          {"duplicates", of.duplicates},
          {"updates", of.updates},
          {"deletions", of.deletions},
          {"unknown_deletions", of.unknown},
          {"late_pages", of.late},
          {"pages_ahead", of.ahead},
          {"pages_without_words", of.empty},
          {"forgotten_for_age", of.forgotten_age},
          {"forgotten_for_room", of.forgotten_room},
          {"forgotten_documents", of.forgotten_pages},
          {"memory_bytes", of.memory}};
}

// What is compared, and from when on it is similar.
std::string rule_of(const StreamOptions& options) {
  switch (options.by) {
    case StreamBy::shingles:
      return fmt::format("{} of shingles, at least {}", name(options.measure), options.similarity);
    case StreamBy::simhash:
      return fmt::format("fingerprints of which at most {} of 64 bits differ", options.distance);
    case StreamBy::fingerprint:
      return fmt::format("fingerprints of which the first {} bits are equal", options.bits);
    case StreamBy::bags:
      return fmt::format("similarity of bags{}, at least {}, by {}",
                         options.leader == StreamLeader::mean ? " to the mean of a cluster" : "",
                         options.similarity,
                         options.dictionary.empty() ? "weights that are learnt"
                                                    : "the words of " + options.dictionary);
  }
  return {};
}

}  // namespace

void print_stream_clusters(const Stream& stream, ListFormat list_format, bool summary,
                           Output& out) {
  using enum RowColumn::Type;
  using Columns = std::vector<RowColumn>;
  const RowFormat format(
      list_format, summary
                       ? Columns{{"cluster", count}, {"size", count}, "leader", {"theme", words}}
                       : Columns{{"cluster", count}, "url", "role", {"similarity", share}});
  out.header(format);
  for (const StreamCluster& cluster : stream.clusters()) {
    if (!out.good()) return;
    const std::vector<StreamMember>& members = cluster.members;
    if (summary) {
      if (members.size() == 1) continue;
      out.row(format,
              {cluster.number, uint64_t{members.size()}, members[0].document, cluster.theme});
      continue;
    }
    for (size_t i = 0; i < members.size(); ++i) {
      const std::string_view role = i == 0 ? name(StreamRole::leader) : name(StreamRole::member);
      out.row(format, {cluster.number, members[i].document, role, members[i].similarity});
    }
  }
}

Status print_stream_related(const Stream& stream, const std::string& url, size_t n,
                            ListFormat list_format, Output& out) {
  KITH_ASSIGN(const std::vector<StreamMember> related, stream.related(url, n));
  const RowFormat format(list_format, {"url", {"similarity", RowColumn::Type::share}});
  out.header(format);
  for (const StreamMember& page : related) out.row(format, {page.document, page.similarity});
  return Status::ok();
}

void print_stream_info(const Stream& stream, bool json) {
  const StreamProgress& progress = stream.progress();
  if (json) {
    nlohmann::ordered_json out{{"by", name(stream.options().by)},
                               {"rule", rule_of(stream.options())},
                               {"rows", progress.answers},
                               {"last", progress.last}};
    for (const auto& [label, count] : counts_of(stream.counts())) out[std::string(label)] = count;
    using Handler = nlohmann::ordered_json::error_handler_t;
    return write_bytes(stdout, escaped_json(out.dump(2, ' ', false, Handler::replace)) + "\n");
  }
  print_to(stdout, "{:<22}{}\n", "stream", rule_of(stream.options()));
  print_to(stdout, "{:<22}{}\n", "last page", printable(progress.last));
  print_to(stdout, "{:<22}{}\n", "rows", with_commas(progress.answers));
  for (const auto& [label, count] : counts_of(stream.counts())) {
    print_to(stdout, "{:<22}{}\n", label, with_commas(count));
  }
}

}  // namespace kith::cli
