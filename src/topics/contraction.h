// A graph whose nodes are the communities of another.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "topics/graph.h"

namespace kith::topics {

// Numbers communities from 0 by their smallest node; returns how many there are.
// REQUIRES: every number is below the size.
uint32_t renumber(std::span<uint32_t> community);

// Items by their group: those of group g are items[at[g] .. at[g + 1]), ascending. Items with
// similar::no_id in the place of a group are left out.
struct Members {
  std::vector<uint32_t> items;
  std::vector<uint64_t> at;
  std::span<const uint32_t> operator[](size_t group) const {
    return std::span(items).subspan(at[group], at[group + 1] - at[group]);
  }
};
Members members_of(std::span<const uint32_t> group, uint32_t groups);

// Edges between communities weigh what those between their nodes weigh together. The same for any
// number of threads.
CommunityGraph contract(const PageGraphView& graph, std::span<const uint32_t> community,
                        uint32_t communities, ThreadPool& pool);
CommunityGraph contract(const CommunityGraphView& graph, std::span<const uint32_t> community,
                        uint32_t communities, ThreadPool& pool);

}  // namespace kith::topics
