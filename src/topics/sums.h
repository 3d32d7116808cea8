// Sums of vectors: of a whole topic, and of groups of its nodes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "parallel/thread_pool.h"
#include "topics/contraction.h"
#include "topics/vectors.h"

namespace kith::topics {

// The sum of the vectors of all pages, by term, in units of 1 / vector_one. Exact.
std::vector<uint64_t> sum_all(const TopicVectors& vectors, ThreadPool& pool);

// A sum with the terms that occur in it, in the order of their first occurrence.
struct SparseSum {
  struct Part {
    uint32_t term;
    uint64_t value;
  };
  std::vector<Part> parts;
  uint64_t pages = 0;
};

// The sum of each of `groups`, lists of nodes. The same for any number of threads.
std::vector<SparseSum> sum_groups(const TopicVectors& vectors,
                                  std::span<const std::span<const uint32_t>> groups,
                                  ThreadPool& pool);

// The square of the length of a sum over so many pages: the mean of the products of all pairs of
// its vectors, each with itself included. In [0, 1].
double mean_square(std::span<const uint64_t> sum, uint64_t pages);

}  // namespace kith::topics
