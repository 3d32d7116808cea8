// Comparing 128-byte rows of the 8-bit plane: one by one, a row against a tile in cache, and a
// row against rows at random places of a plane far larger than the cache.
#include <vector>

#include <benchmark/benchmark.h>

#include "base/rng.h"
#include "sketch/signature.h"

namespace {

using namespace kith;

constexpr uint32_t lanes = 128;
constexpr size_t tile_rows = 64;
constexpr size_t plane_rows = 1 << 21;

std::vector<uint8_t> random_plane(size_t rows) {
  Rng rng(1);
  std::vector<uint8_t> values(rows * lanes);
  for (uint8_t& value : values) value = static_cast<uint8_t>(rng() >> 56);
  return values;
}

bool supported(benchmark::State& state) {
  if (static_cast<SimdLevel>(state.range(0)) <= best_simd_level()) return true;
  state.SkipWithError("this processor lacks the instructions");
  return false;
}

// Items are row comparisons in every benchmark.
void one_by_one(benchmark::State& state) {
  if (!supported(state)) return;
  const CountEqualKernel kernel = count_equal_kernel(static_cast<SimdLevel>(state.range(0)));
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
  const SignaturePlane rows(values, lanes);
  for (auto _ : state) {
    for (size_t i = 0; i < tile_rows; ++i) benchmark::DoNotOptimize(count_equal(rows[0], rows[i]));
  }
  state.SetItemsProcessed(state.iterations() * tile_rows);
}

void range_in_cache(benchmark::State& state) {
  if (!supported(state)) return;
  const std::vector<uint8_t> values = random_plane(tile_rows);
  const SignaturePlane rows(values, lanes);
  std::vector<uint32_t> counts(tile_rows);
  for (auto _ : state) {
    count_equal_range(rows[0], rows, 0, counts, static_cast<SimdLevel>(state.range(0)));
    benchmark::DoNotOptimize(counts.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * tile_rows);
}

void at_random(benchmark::State& state) {
  if (!supported(state)) return;
  const std::vector<uint8_t> values = random_plane(plane_rows);
  const SignaturePlane rows(values, lanes);
  Rng rng(2);
  std::vector<uint32_t> ids(plane_rows);
  for (uint32_t& id : ids) id = static_cast<uint32_t>(rng.below(plane_rows));
  std::vector<uint32_t> counts(tile_rows);
  size_t next = 0;
  for (auto _ : state) {
    const auto candidates = std::span<const uint32_t>(ids).subspan(next, tile_rows);
    count_equal_at(rows[ids[next]], rows, candidates, counts,
                   static_cast<SimdLevel>(state.range(0)));
    benchmark::DoNotOptimize(counts.data());
    benchmark::ClobberMemory();
    next = (next + tile_rows) % plane_rows;
  }
  state.SetItemsProcessed(state.iterations() * tile_rows);
}

BENCHMARK(one_by_one)->ArgName("level")->DenseRange(0, 2);
BENCHMARK(dispatched_each_time);
BENCHMARK(range_in_cache)->ArgName("level")->DenseRange(0, 2);
BENCHMARK(at_random)->ArgName("level")->DenseRange(0, 2);

}  // namespace

BENCHMARK_MAIN();
