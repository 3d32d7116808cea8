// The oracle: compares some bags with all bags. No pruning, no index, no hashing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pairs/neighbour.h"
#include "parallel/thread_pool.h"
#include "sketch/bag.h"

namespace kith::pairs {

// How often each similarity occurs between the queries and all other bags.
class SimilarityHistogram {
 public:
  static constexpr size_t bins = 256;

  // Bin b counts similarities in [b / 256, (b + 1) / 256), the last one 1 as well; a sum of 0 is
  // not counted.
  void add(uint32_t sum_of_minima);
  void merge(const SimilarityHistogram& other);
  const std::array<uint64_t, bins>& counts() const { return counts_; }
  // The sum over all counted pairs of f(similarity), each taken at the middle of its bin.
  double total(double (*f)(double similarity, const void* context), const void* context) const;

 private:
  std::array<uint64_t, bins> counts_{};
};

// What is true about one query: its neighbours among all bags except itself.
struct QueryTruth {
  uint32_t id = 0;
  std::vector<Neighbour> similar;  // all with sum >= least_sum, by id
  std::vector<Neighbour> nearest;  // the K nearest with a sum > 0, nearest first
};

struct BruteForceResult {
  std::vector<QueryTruth> queries;  // in the order of the query ids
  SimilarityHistogram histogram;    // over all (query, other bag)
};

struct BruteForceOptions {
  uint32_t least_sum = 0;  // 0: list nothing
  uint32_t top = 20;
};

// Deterministic for any number of threads. Time: the entries of all bags once for every 8
// queries; that is the fast path, whose twin is brute_force_plain.
BruteForceResult brute_force(const BagCollection& bags, std::span<const uint32_t> queries,
                             const BruteForceOptions& options, ThreadPool& pool);

// The same by sum_of_minima() of each query with each bag, on one thread.
BruteForceResult brute_force_plain(const BagCollection& bags, std::span<const uint32_t> queries,
                                   const BruteForceOptions& options);

// A seeded sample of the ids of non-empty bags, ascending, without repeats: all of them when
// there are no more than `count`.
std::vector<uint32_t> sample_queries(const BagCollection& bags, size_t count, uint64_t seed);

}  // namespace kith::pairs
