// The joins on synthetic topic bags with families of near-identical pages. Arguments: words per
// bag, threads. Counters: pairs found, and the work per bag.
#include <map>
#include <numeric>

#include <benchmark/benchmark.h>

#include "base/parallel/radix_sort.h"
#include "base/random.h"
#include "evaluate/brute_force.h"
#include "similar/exact/exact_join.h"
#include "similar/tables/lsh_join.h"
#include "support/random_bags.h"

namespace {

using namespace kith;
using namespace kith::similar;

constexpr size_t bag_count = 100'000;
constexpr double threshold_similarity = 0.2;

const test::OwnedBags& topic_bags(uint32_t words) {
  static std::map<uint32_t, test::OwnedBags> made;
  auto [place, is_new] = made.try_emplace(words);
  if (is_new) {
    place->second = test::random_bags({.bags = bag_count,
                                       .words = words,
                                       .vocabulary = 200'000,
                                       .topics = 500,
                                       .topic_words = 400,
                                       .topic_share = 0.5,
                                       .seed = words});
  }
  return place->second;
}

void exact(benchmark::State& state) {
  const sketch::BagCollection bags = topic_bags(static_cast<uint32_t>(state.range(0))).view();
  ThreadPool pool(static_cast<unsigned>(state.range(1)));
  const DuplicateGroups groups = find_duplicates(bags, pool);
  ExactJoinResult result;
  for (auto _ : state) {
    result =
        exact_join(bags, groups, {.min_sum = sketch::min_sum_of_minima(threshold_similarity)}, pool)
            .value();
  }
  const auto queries = static_cast<double>(result.work.queries);
  state.counters["pairs"] = std::accumulate(result.degree.begin(), result.degree.end(), 0.0) / 2;
  state.counters["postings/bag"] = static_cast<double>(result.work.postings) / queries;
  state.counters["cells/bag"] = static_cast<double>(result.work.cells) / queries;
  state.counters["pruned/bag"] = static_cast<double>(result.work.pruned) / queries;
  state.counters["merges/bag"] = static_cast<double>(result.work.merges) / queries;
}

// Keys of 2 minima, 40 tables.
void by_tables(benchmark::State& state) {
  constexpr uint32_t lanes = 128;
  const sketch::BagCollection bags = topic_bags(static_cast<uint32_t>(state.range(0))).view();
  ThreadPool pool(static_cast<unsigned>(state.range(1)));
  const DuplicateGroups groups = find_duplicates(bags, pool);
  std::vector<uint16_t> values(bags.size() * lanes);
  const sketch::Sketcher sketcher({.lanes = lanes});
  for (size_t id = 0; id < bags.size(); ++id) {
    sketcher.sketch(bags[id], std::span(values).subspan(id * lanes, lanes));
  }
  const sketch::Tables tables({.lanes = lanes, .per_key = 2, .tables = 40});
  LshJoinResult result;
  for (auto _ : state) {
    result = lsh_join(bags, groups, sketch::Signatures(values, lanes), tables,
                      {.min_sum = sketch::min_sum_of_minima(threshold_similarity)}, pool)
                 .value();
  }
  const auto n = static_cast<double>(bags.size());
  state.counters["pairs"] = static_cast<double>(result.counts.similar);
  state.counters["compared/bag"] = static_cast<double>(result.counts.collisions) / n;
  state.counters["merges/bag"] = static_cast<double>(result.counts.candidates) / n;
}

// 200 queries against all bags.
void truth(benchmark::State& state) {
  const sketch::BagCollection bags = topic_bags(static_cast<uint32_t>(state.range(0))).view();
  ThreadPool pool(static_cast<unsigned>(state.range(1)));
  const std::vector<uint32_t> queries = evaluate::sample_queries(bags, 200, 1);
  for (auto _ : state) benchmark::DoNotOptimize(evaluate::brute_force(bags, queries, {}, pool));
}

void duplicates(benchmark::State& state) {
  const sketch::BagCollection bags = topic_bags(static_cast<uint32_t>(state.range(0))).view();
  ThreadPool pool(static_cast<unsigned>(state.range(1)));
  for (auto _ : state) benchmark::DoNotOptimize(find_duplicates(bags, pool));
}

void sort_random_keys(benchmark::State& state) {
  ThreadPool pool(static_cast<unsigned>(state.range(1)));
  const auto n = static_cast<size_t>(state.range(0));
  Rng rng(1);
  std::vector<KeyId> input(n);
  for (KeyId& value : input) value = {rng(), static_cast<uint32_t>(rng())};
  std::vector<KeyId> values(n);
  std::vector<KeyId> scratch(n);
  for (auto _ : state) {
    state.PauseTiming();
    values = input;
    state.ResumeTiming();
    radix_sort(values, scratch, pool);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(n));
}

BENCHMARK(exact)
    ->ArgsProduct({{40, 120}, {1, 2}})
    ->Unit(benchmark::kSecond)
    ->Iterations(1)
    ->UseRealTime();
BENCHMARK(by_tables)
    ->ArgsProduct({{40, 120}, {1, 2}})
    ->Unit(benchmark::kSecond)
    ->Iterations(1)
    ->UseRealTime();
BENCHMARK(truth)->ArgsProduct({{40, 120}, {1, 2}})->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(duplicates)
    ->ArgsProduct({{40, 120}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(sort_random_keys)
    ->ArgsProduct({{100'000, 10'000'000}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
