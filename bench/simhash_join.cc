// The join of random fingerprints with planted near pairs. Arguments: fingerprints in millions,
// distance k, blocks (0: chosen), threads. KITH_BENCH_MEMORY=MIB bounds the memory of the join.
#include "similar/fingerprints/simhash_join.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/random.h"

namespace {

using namespace kith;
using namespace kith::similar;

// One in a hundred is another with 1 to 7 bits flipped.
std::vector<uint64_t> random_fingerprints(size_t n) {
  constexpr size_t planted_share = 100;
  Rng rng(n);
  std::vector<uint64_t> values(n);
  for (size_t i = 0; i < n; ++i) {
    values[i] = rng();
    if (i == 0 || i % planted_share != 0) continue;
    values[i] = values[rng.below(i)];
    for (uint64_t flips = 1 + rng.below(7); flips > 0; --flips) {
      values[i] ^= uint64_t{1} << rng.below(64);
    }
  }
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

const std::vector<uint64_t>& fingerprints(size_t millions) {
  static std::map<size_t, std::vector<uint64_t>> made;
  auto [place, is_new] = made.try_emplace(millions);
  if (is_new) place->second = random_fingerprints(millions * 1'000'000);
  return place->second;
}

uint64_t memory_bound() {
  const char* mebibytes = std::getenv("KITH_BENCH_MEMORY");
  return mebibytes == nullptr ? 0 : std::strtoull(mebibytes, nullptr, 10) << 20;
}

void join(benchmark::State& state) {
  const std::vector<uint64_t>& values = fingerprints(static_cast<size_t>(state.range(0)));
  ThreadPool pool(static_cast<unsigned>(state.range(3)));
  const SimhashJoinOptions options{.distance = static_cast<uint32_t>(state.range(1)),
                                   .blocks = static_cast<uint32_t>(state.range(2)),
                                   .memory = memory_bound()};
  SimhashJoinStats stats;
  for (auto _ : state) {
    const auto sink = [](std::span<const FingerprintPair> batch) {
      benchmark::DoNotOptimize(batch.data());
      return Status::ok();
    };
    stats = simhash_join(values, options, pool, sink).value();
  }
  const auto n = static_cast<double>(values.size());
  state.counters["pairs"] = static_cast<double>(stats.pairs);
  state.counters["compared/each"] = static_cast<double>(stats.compared) / n;
  state.counters["moved/each"] = static_cast<double>(stats.moved) / n;
  state.counters["scans"] = static_cast<double>(stats.scans);
}

BENCHMARK(join)
    ->ArgsProduct({{1, 20}, {3}, {0, 4, 5, 6}, {1, 2}})
    ->ArgsProduct({{1, 20}, {1, 5, 7}, {0}, {2}})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1)
    ->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
