// Sets of hashes to signatures: what a document's shingles cost once they are made. The goal is
// 1,000 elements x 128 lanes in 2 us with AVX-512, 5 us with AVX2.
#include <cstdint>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/hash.h"
#include "base/random.h"
#include "sketch/estimate.h"
#include "sketch/set_sketches.h"

namespace {

using namespace kith;

std::vector<uint64_t> random_elements(Rng& rng, size_t count) {
  std::vector<uint64_t> elements(count);
  for (uint64_t& element : elements) element = rng();
  return elements;
}

// Several sets, so that no branch learns one by heart.
constexpr size_t sets = 16;

void sketch(benchmark::State& state, sketch::MinHashFamily family) {
  const auto level = static_cast<sketch::SimdLevel>(state.range(0));
  if (level > sketch::best_simd_level()) {
    state.SkipWithError("this processor lacks the level");
    return;
  }
  const auto count = static_cast<size_t>(state.range(1));
  const sketch::SetSketcher hasher(
      {.family = family, .lanes = static_cast<uint32_t>(state.range(2))}, level);
  Rng rng(1);
  std::vector<std::vector<uint64_t>> elements;
  for (size_t i = 0; i < sets; ++i) elements.push_back(random_elements(rng, count));
  std::vector<uint16_t> signature(hasher.lanes());
  size_t next = 0;
  for (auto _ : state) {
    hasher.sketch(elements[next], signature);
    benchmark::DoNotOptimize(signature.data());
    benchmark::ClobberMemory();
    next = (next + 1) % sets;
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * count));
}

void minhash_lanes(benchmark::State& state) {
  sketch(state, sketch::MinHashFamily::lanes);
}
BENCHMARK(minhash_lanes)
    ->ArgNames({"level", "elements", "lanes"})
    ->ArgsProduct({{0, 1, 2}, {1000}, {128}})
    ->ArgsProduct({{2}, {30, 100, 300, 10000, 1000000}, {128}});

void minhash_bins(benchmark::State& state) {
  sketch(state, sketch::MinHashFamily::bins);
}
BENCHMARK(minhash_bins)
    ->ArgNames({"level", "elements", "lanes"})
    ->ArgsProduct({{0, 1, 2}, {500}, {128}})
    ->ArgsProduct({{1}, {1, 10, 30, 100, 300, 600, 1000, 10000, 1000000}, {128}});

void sort_elements(benchmark::State& state) {
  Rng rng(2);
  const auto unsorted = random_elements(rng, static_cast<size_t>(state.range(0)));
  HashSorter sorter;
  std::vector<uint64_t> elements;
  for (auto _ : state) {
    elements = unsorted;
    sorter.sort(elements);
    benchmark::DoNotOptimize(elements.data());
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * unsorted.size()));
}
BENCHMARK(sort_elements)
    ->ArgName("elements")
    ->Arg(50)
    ->Arg(300)
    ->Arg(1000)
    ->Arg(10000)
    ->Arg(1000000);

// Two sets of so many elements each that share 9 of 10; or one that is so many times larger.
void overlap_sets(benchmark::State& state) {
  Rng rng(3);
  const auto count = static_cast<size_t>(state.range(0));
  std::vector<std::vector<uint64_t>> small;
  std::vector<std::vector<uint64_t>> large;
  HashSorter sorter;
  for (size_t i = 0; i < sets; ++i) {
    small.push_back(random_elements(rng, count));
    large.push_back(random_elements(rng, count * static_cast<size_t>(state.range(1))));
    for (size_t j = 0; j < count * 9 / 10; ++j) large.back()[j] = small.back()[j];
    sorter.sort(small.back());
    sorter.sort(large.back());
  }
  size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(sketch::overlap(small[next], large[next]));
    next = (next + 1) % sets;
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * count));
}
BENCHMARK(overlap_sets)
    ->ArgNames({"elements", "ratio"})
    ->ArgsProduct({{100, 1000, 10000}, {1}})
    ->ArgsProduct({{1000}, {16, 64}});

}  // namespace

BENCHMARK_MAIN();
