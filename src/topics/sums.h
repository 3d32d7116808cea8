// Sums of the vectors of a topic.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "topics/vectors.h"

namespace kith::topics {

// The sum of the vectors of all pages, by term, in units of 1 / vector_one. Exact.
std::vector<uint64_t> sum_all(const TopicVectors& vectors, ThreadPool& pool);

// The square of the length of a sum over so many pages: the mean of the products of all pairs of
// its vectors, each with itself included. In [0, 1].
double mean_square(std::span<const uint64_t> sum, uint64_t pages);

}  // namespace kith::topics
