// SimHash of weighted features, and the comparison of fingerprints in cache. Arguments: SIMD level,
// then features or fingerprints.
#include <vector>

#include <benchmark/benchmark.h>

#include "base/random.h"
#include "sketch/simhash.h"

namespace {

using namespace kith;

bool supported(benchmark::State& state, sketch::SimdLevel best) {
  if (static_cast<sketch::SimdLevel>(state.range(0)) <= best) return true;
  state.SkipWithError("this processor lacks the instructions");
  return false;
}

// Items are features.
void fingerprint(benchmark::State& state) {
  if (!supported(state, sketch::best_simd_level())) return;
  Rng rng(1);
  std::vector<sketch::WeightedFeature> features(static_cast<size_t>(state.range(1)));
  for (sketch::WeightedFeature& feature : features) {
    feature = {rng(), 1 + static_cast<uint32_t>(rng.below(65536))};
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        sketch::simhash(features, static_cast<sketch::SimdLevel>(state.range(0))));
  }
  state.SetItemsProcessed(state.iterations() * state.range(1));
}

std::vector<uint64_t> random_values(size_t n) {
  Rng rng(2);
  std::vector<uint64_t> values(n);
  for (uint64_t& value : values) value = rng();
  return values;
}

// Items are pairs of fingerprints.
void near_pairs(benchmark::State& state) {
  if (!supported(state, sketch::best_hamming_level())) return;
  const std::vector<uint64_t> values = random_values(static_cast<size_t>(state.range(1)));
  const sketch::HammingKernels& kernels =
      sketch::hamming_kernels(static_cast<sketch::SimdLevel>(state.range(0)));
  uint64_t found = 0;
  const auto take = [](void* context, uint32_t, uint32_t) { ++*static_cast<uint64_t*>(context); };
  for (auto _ : state) kernels.pairs(values.data(), values.size(), 3, {&found, take});
  benchmark::DoNotOptimize(found);
  const auto n = state.range(1);
  state.SetItemsProcessed(state.iterations() * n * (n - 1) / 2);
}

// Items are fingerprints.
void scan(benchmark::State& state) {
  if (!supported(state, sketch::best_hamming_level())) return;
  const std::vector<uint64_t> values = random_values(static_cast<size_t>(state.range(1)));
  const sketch::HammingKernels& kernels =
      sketch::hamming_kernels(static_cast<sketch::SimdLevel>(state.range(0)));
  std::vector<uint32_t> places(values.size());
  for (auto _ : state) {
    benchmark::DoNotOptimize(kernels.scan(1, values.data(), values.size(), 3, places.data()));
  }
  state.SetItemsProcessed(state.iterations() * state.range(1));
}

BENCHMARK(fingerprint)->ArgsProduct({{0, 1, 2}, {10, 100, 1000}});
BENCHMARK(near_pairs)->ArgsProduct({{0, 1, 2}, {16, 300, 4000}});
BENCHMARK(scan)->ArgsProduct({{0, 1, 2}, {300, 100000}});

}  // namespace

BENCHMARK_MAIN();
