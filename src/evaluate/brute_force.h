// The truth by brute force: the nearest of some bags, and how similar they are.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "similar/duplicates.h"
#include "similar/neighbour.h"
#include "sketch/bag.h"

namespace kith::evaluate {

// How often each similarity occurs, finely enough for its powers.

// Sums of minima A in bins of equal ratio: 16 to every doubling. Most pairs of a crawl have a
// similarity of a few thousandths, and the collisions of LSH tables follow its powers: bins of
// equal width would hold all that decides in the first of them. A power s^k, k <= 8, averaged over
// the bins is off by about one percent.
class SimilarityHistogram {
 public:
  static constexpr uint32_t per_doubling = 16;
  // Bin 0 is for sums below 256 (a similarity of 2e-5); the last one for bag_total alone, whose
  // similarity is 1, since bag_total is 25/16 of a power of two.
  static constexpr uint32_t bins = 235;

  // The bin of a sum in [0, bag_total]. A float is exact for these, and has the exponent and the
  // first bits of the mantissa side by side.
  static constexpr uint32_t bin_of(uint32_t sum_of_minima) {
    constexpr uint32_t first = (127 + 8) * per_doubling - 1;
    const auto exact = static_cast<float>(static_cast<int32_t>(sum_of_minima));
    return std::max(std::bit_cast<uint32_t>(exact) >> 19, first) - first;
  }
  // A similarity that stands for those of a bin: that of its middle; 0 for bin 0.
  static double similarity_at(uint32_t bin);

  uint64_t count(uint32_t bin) const { return counts_[bin]; }
  void add(uint32_t sum_of_minima) { add_to_bin(bin_of(sum_of_minima), 1); }
  void add_to_bin(uint32_t bin, uint64_t count) { counts_[bin] += count; }
  // Takes back what add() has counted.
  void remove(uint32_t sum_of_minima) { --counts_[bin_of(sum_of_minima)]; }
  friend bool operator==(const SimilarityHistogram&, const SimilarityHistogram&) = default;

 private:
  std::array<uint64_t, bins> counts_{};
};

static_assert(SimilarityHistogram::bin_of(255) == 0 && SimilarityHistogram::bin_of(256) == 1);
static_assert(SimilarityHistogram::bin_of(sketch::bag_total) == SimilarityHistogram::bins - 1 &&
              SimilarityHistogram::bin_of(sketch::bag_total - 1) == SimilarityHistogram::bins - 2);

// The oracle: compares some bags with all bags. No pruning, no hashing.

// What is true about one query: its neighbours among all bags except itself.
struct QueryTruth {
  uint32_t id = 0;
  uint64_t degree = 0;                      // the number with sum >= min_sum; 0 when min_sum is 0
  std::vector<similar::Neighbour> similar;  // these, by id; empty unless they were to be listed
  std::vector<similar::Neighbour> nearest;  // the K nearest with a sum > 0, nearest first
  SimilarityHistogram histogram{};          // over the bags of other groups, each group once
};

struct BruteForceResult {
  std::vector<QueryTruth> queries;  // in the order of the query ids
};

struct BruteForceOptions {
  uint32_t min_sum = 0;  // 0: nothing is similar
  uint32_t top = 20;
  bool list_similar = true;  // else only counted: a list may be as long as the collection
  similar::Classes classes =
      {};  // a query is compared with bags of its class; histograms are of all
  // When given, histograms are made, which count equal bags once; it outlives the call.
  const similar::DuplicateGroups* histogram_groups = nullptr;
};

// Deterministic for any number of threads. Every 256 queries take one pass over the entries of all
// bags, which are released behind it (BagCollection::release).
BruteForceResult brute_force(const sketch::BagCollection& bags, std::span<const uint32_t> queries,
                             const BruteForceOptions& options, ThreadPool& pool);

// `count` different numbers below n, ascending; all of them where there are no more. Memory: some
// 40 bytes for each.
std::vector<uint64_t> sample_places(uint64_t n, size_t count, uint64_t seed);

// A seeded sample of the ids of non-empty bags (by id, is_wanted != 0; empty: all), ascending,
// without repeats: all of them when there are no more than `count`.
std::vector<uint32_t> sample_queries(const sketch::BagCollection& bags, size_t count, uint64_t seed,
                                     std::span<const uint8_t> is_wanted = {});

}  // namespace kith::evaluate
