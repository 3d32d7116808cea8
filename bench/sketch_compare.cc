// Comparing 128-byte rows of the 8-bit plane in cache: one by one, and a row against a tile.
#include <vector>

#include <benchmark/benchmark.h>

#include "base/random.h"
#include "sketch/signature.h"

namespace {

using namespace kith;

constexpr uint32_t lanes = 128;
constexpr size_t tile_rows = 64;

std::vector<uint8_t> random_plane(size_t rows) {
  Rng rng(1);
  std::vector<uint8_t> values(rows * lanes);
  for (uint8_t& value : values) value = static_cast<uint8_t>(rng() >> 56);
  return values;
}

bool supported(benchmark::State& state) {
  if (static_cast<sketch::SimdLevel>(state.range(0)) <= sketch::best_simd_level()) return true;
  state.SkipWithError("this processor lacks the instructions");
  return false;
}

// Items are row comparisons in every benchmark.
void one_by_one(benchmark::State& state) {
  if (!supported(state)) return;
  const sketch::CountEqualKernel kernel =
      sketch::count_equal_kernel(static_cast<sketch::SimdLevel>(state.range(0)));
  const std::vector<uint8_t> values = random_plane(tile_rows);
  for (auto _ : state) {
    for (size_t i = 0; i < tile_rows; ++i) {
      benchmark::DoNotOptimize(kernel(values.data(), values.data() + i * lanes, lanes));
    }
  }
  state.SetItemsProcessed(state.iterations() * tile_rows);
}

void dispatched_each_time(benchmark::State& state) {
  const std::vector<uint8_t> values = random_plane(tile_rows);
  const sketch::SignaturePlane rows(values, lanes);
  for (auto _ : state) {
    for (size_t i = 0; i < tile_rows; ++i)
      benchmark::DoNotOptimize(sketch::count_equal(rows[0], rows[i]));
  }
  state.SetItemsProcessed(state.iterations() * tile_rows);
}

// As the leader index and the split of buckets compare a row with rows in cache.
void select(benchmark::State& state) {
  if (!supported(state)) return;
  const sketch::RowKernels& kernels =
      sketch::row_kernels(static_cast<sketch::SimdLevel>(state.range(0)));
  const std::vector<uint8_t> values = random_plane(tile_rows);
  std::vector<uint32_t> selected(tile_rows);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        kernels.select(values.data(), values.data(), lanes, tile_rows, 2, selected.data()));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * tile_rows);
}

void equal_bits(benchmark::State& state) {
  if (!supported(state)) return;
  const sketch::RowKernels& kernels =
      sketch::row_kernels(static_cast<sketch::SimdLevel>(state.range(0)));
  const std::vector<uint8_t> values = random_plane(tile_rows);
  std::vector<uint64_t> words(lanes / 64);
  for (auto _ : state) {
    for (size_t i = 0; i < tile_rows; ++i) {
      kernels.equal_bits(values.data(), values.data() + i * lanes, lanes, words.data());
      benchmark::ClobberMemory();
    }
  }
  state.SetItemsProcessed(state.iterations() * tile_rows);
}

BENCHMARK(one_by_one)->ArgName("level")->DenseRange(0, 2);
BENCHMARK(dispatched_each_time);
BENCHMARK(select)->ArgName("level")->DenseRange(0, 2);
BENCHMARK(equal_bits)->ArgName("level")->DenseRange(0, 2);

}  // namespace

BENCHMARK_MAIN();
