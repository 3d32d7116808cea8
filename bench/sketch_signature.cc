// Signatures per second on one core, for every SIMD level that this processor has.
#include <algorithm>
#include <cmath>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/random.h"
#include "sketch/signature.h"

namespace {

using namespace kith;

constexpr size_t bag_count = 4096;
constexpr double vocabulary = 100000;

// A bag of distinct terms, ranks drawn log-uniformly as in Zipf's law, weighted as tf-idf
// does: sqrt(f) * ln(N / df), scaled to bag_total.
std::vector<sketch::BagEntry> random_bag(Rng& rng, size_t words) {
  std::vector<uint32_t> terms;
  while (terms.size() < words) {
    const auto term = static_cast<uint32_t>(std::pow(vocabulary, rng.uniform()));
    if (std::ranges::find(terms, term) == terms.end()) terms.push_back(term);
  }
  std::ranges::sort(terms);
  std::vector<double> weights;
  double sum = 0.0;
  for (const uint32_t term : terms) {
    const double frequency = std::floor(1.0 - std::log(1.0 - rng.uniform()));
    weights.push_back(std::sqrt(frequency) * std::log(2.0 + term));
    sum += weights.back();
  }
  std::vector<sketch::BagEntry> bag;
  uint32_t left = sketch::bag_total;
  for (size_t i = 0; i < words; ++i) {
    const auto share = static_cast<uint32_t>(sketch::bag_total * (weights[i] / sum));
    const uint32_t weight = i + 1 == words ? left : std::clamp(share, 1u, left);
    bag.push_back({terms[i], weight});
    left -= weight;
  }
  return bag;
}

void sketch(benchmark::State& state) {
  const auto level = static_cast<sketch::SimdLevel>(state.range(0));
  if (level > sketch::best_simd_level()) {
    state.SkipWithError("this processor lacks the instructions");
    return;
  }
  const auto words = static_cast<size_t>(state.range(1));
  const sketch::Sketcher sketcher({.lanes = static_cast<uint32_t>(state.range(2))}, level);
  Rng rng(1);
  std::vector<std::vector<sketch::BagEntry>> bags;
  for (size_t i = 0; i < bag_count; ++i) bags.push_back(random_bag(rng, words));
  std::vector<uint16_t> signature(sketcher.lanes());
  size_t next = 0;
  for (auto _ : state) {
    sketcher.sketch(bags[next], signature);
    benchmark::DoNotOptimize(signature.data());
    benchmark::ClobberMemory();
    next = (next + 1) % bag_count;
  }
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(sketch)
    ->ArgNames({"level", "words", "lanes"})
    ->ArgsProduct({{0, 1, 2}, {34}, {80, 128}})
    ->ArgsProduct({{0, 1, 2}, {5, 200}, {128}});

}  // namespace

BENCHMARK_MAIN();
