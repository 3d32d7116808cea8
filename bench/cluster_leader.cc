// Clustering of 200,000 synthetic topic bags of 34 words by the leader index, with both
// engines, and the scan of the buckets that orders them. Items are bags. Arguments: threads; for
// the leader index also the assignment (0 first, 1 best). Similarity threshold 0.2; k = 2, l = 40.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/parallel/thread_pool.h"
#include "base/random.h"
#include "cluster/labels.h"
#include "cluster/leader/index.h"
#include "cluster/lsh_buckets.h"
#include "cluster/order.h"
#include "sketch/signature.h"

namespace {

using namespace kith;

constexpr size_t bag_count = 200'000;
constexpr uint32_t words = 34;
constexpr uint32_t topics = 4000;
constexpr uint32_t topic_words = 60;
constexpr uint32_t vocabulary = 200'000;
constexpr uint32_t lanes = 128;
const uint32_t min_sum = sketch::min_sum_of_minima(0.2);

// A Zipfian rank below n.
uint32_t zipf(Rng& rng, uint32_t n) {
  return static_cast<uint32_t>(std::exp(rng.uniform() * std::log(static_cast<double>(n) + 1)) - 1) %
         n;
}

struct Data {
  std::vector<uint64_t> offsets{0};
  std::vector<sketch::BagEntry> entries;
  std::vector<uint16_t> signatures;
  sketch::Tables tables{{.lanes = lanes, .per_key = 2, .tables = 40}};
  std::optional<cluster::LshBuckets> buckets;
  std::vector<uint32_t> order;  // by mass

  sketch::BagCollection bags() const { return {offsets, entries}; }
  sketch::Signatures all_signatures() const { return {signatures, lanes}; }
  cluster::LeaderResult leaders(const cluster::LeaderOptions& options, ThreadPool& pool) const {
    auto rows = cluster::OrderedRows::make(bags(), all_signatures(), order, {});
    return cluster::lsh_leaders(bag_count, rows.value(), *buckets, options, pool).value();
  }
};

// Two words of three from one of the topics, the rest from all words; equal weights.
void add_bag(Rng& rng, Data& data) {
  const uint64_t topic = rng.below(topics);
  std::vector<uint32_t> terms;
  while (terms.size() < words) {
    const bool from_topic = rng.below(3) < 2;
    const uint64_t word = from_topic ? topic << 32 | zipf(rng, topic_words) : 0;
    const uint32_t term =
        from_topic ? static_cast<uint32_t>(mix64(word) % vocabulary) : zipf(rng, vocabulary);
    if (std::ranges::find(terms, term) == terms.end()) terms.push_back(term);
  }
  std::ranges::sort(terms);
  uint32_t rest = sketch::bag_total;
  for (uint32_t i = 0; i < words; ++i) {
    const uint32_t weight = rest / (words - i);
    data.entries.push_back({terms[i], weight});
    rest -= weight;
  }
  data.offsets.push_back(data.entries.size());
}

const Data& data() {
  static const Data made = [] {
    Data result;
    Rng rng(1);
    for (size_t id = 0; id < bag_count; ++id) add_bag(rng, result);
    result.signatures.resize(bag_count * lanes);
    const sketch::Sketcher sketcher(sketch::SketchOptions{.lanes = lanes});
    const sketch::BagCollection bags(result.offsets, result.entries);
    for (size_t id = 0; id < bag_count; ++id) {
      sketcher.sketch(bags[id], std::span(result.signatures).subspan(id * lanes, lanes));
    }
    ThreadPool pool(0);
    const auto ids = cluster::order_by_id(bag_count);
    result.buckets =
        cluster::scan_buckets(result.tables, result.all_signatures(), ids, {}, {}, pool);
    result.order = cluster::order_by_key(result.buckets->mass.span(), pool);
    return result;
  }();
  return made;
}

void report(benchmark::State& state, const cluster::LeaderStats& stats) {
  state.SetItemsProcessed(state.iterations() * bag_count);
  state.counters["leaders"] = static_cast<double>(stats.leaders);
  state.counters["candidates/probe"] =
      static_cast<double>(stats.candidates) / static_cast<double>(stats.probes);
  state.counters["merges/probe"] =
      static_cast<double>(stats.merges) / static_cast<double>(stats.probes);
}

cluster::LeaderOptions options_of(const benchmark::State& state) {
  return {.min_sum = min_sum, .assign = state.range(1) != 0 ? Assign::best : Assign::first};
}

void lsh(benchmark::State& state) {
  const Data& input = data();
  ThreadPool pool(static_cast<unsigned>(state.range(0)));
  cluster::LeaderStats stats;
  for (auto _ : state) {
    stats = input.leaders(options_of(state), pool).stats;
  }
  report(state, stats);
}

void exact(benchmark::State& state) {
  const Data& input = data();
  ThreadPool pool(static_cast<unsigned>(state.range(0)));
  cluster::LeaderStats stats;
  for (auto _ : state) {
    auto rows = cluster::OrderedRows::make(input.bags(), {}, input.order, {});
    stats = cluster::exact_leaders(bag_count, rows.value(), options_of(state), pool)->stats;
  }
  report(state, stats);
}

void buckets(benchmark::State& state) {
  const Data& input = data();
  ThreadPool pool(static_cast<unsigned>(state.range(0)));
  const auto ids = cluster::order_by_id(bag_count);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        cluster::scan_buckets(input.tables, input.all_signatures(), ids, {}, {}, pool));
  }
  state.SetItemsProcessed(state.iterations() * bag_count);
}

void labels(benchmark::State& state) {
  const Data& input = data();
  ThreadPool pool(static_cast<unsigned>(state.range(0)));
  const auto result = input.leaders({.min_sum = min_sum}, pool);
  const cluster::ClusterLists lists(result.clustering, pool);
  const auto members = lists.ids().first(lists.offsets()[lists.groups()]);
  auto rows = cluster::OrderedRows::make(input.bags(), {}, members, {});
  const std::vector<uint32_t> begins{0, bag_count / 10, bag_count / 2};
  for (auto _ : state) {
    const auto frequency = cluster::count_document_frequencies(input.bags(), vocabulary, pool);
    const cluster::Hosts hosts(begins, input.bags());
    const cluster::LabelContext context{input.bags(), &hosts, frequency, bag_count, {}};
    benchmark::DoNotOptimize(cluster::label_clusters(rows.value(), lists, context, {}, pool));
  }
  state.SetItemsProcessed(state.iterations() * bag_count);
}

BENCHMARK(lsh)->ArgsProduct({{1, 2}, {0, 1}})->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(exact)->ArgsProduct({{1, 2}, {0, 1}})->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(buckets)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(labels)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
