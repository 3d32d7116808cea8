// The page of a group that is nearest to its mean.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "topics/reassignment.h"

namespace kith::topics {

// By group: of the nodes of greatest `suits` that it has, the one of greatest x.S_G, ties to the
// smaller number. suits: by node; empty: all alike. REQUIRES: every group has a node, every node a
// group. The same for any number of threads.
std::vector<uint32_t> find_exemplars(const TopicVectors& vectors, std::span<const uint32_t> group,
                                     const TermMatrix<uint64_t>& sums,
                                     std::span<const uint8_t> suits, ThreadPool& pool);

}  // namespace kith::topics
