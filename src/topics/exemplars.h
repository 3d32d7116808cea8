// The page of a group that is nearest to its mean.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "parallel/thread_pool.h"
#include "topics/reassignment.h"

namespace kith::topics {

// By group: the node of greatest x.S_G, ties to the smaller number. REQUIRES: every group has a
// node, every node a group. The same for any number of threads.
std::vector<uint32_t> find_exemplars(const TopicVectors& vectors, std::span<const uint32_t> group,
                                     const TermMatrix<uint64_t>& sums, ThreadPool& pool);

}  // namespace kith::topics
