// Communities of a graph: groups of nodes with many edges inside (docs/algorithms/topics.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "topics/graph.h"
#include "topics/options.h"

namespace kith::topics {

// Local moves of modularity with resolution gamma (Blondel et al., Fast unfolding of communities in
// large networks, 2008), contracted and repeated until nothing moves; then the contractions are
// undone one by one, and nodes move again on each level. By node: its community, numbered from 0 by
// the smallest node. The same for any number of threads.
std::vector<uint32_t> find_communities(const PageGraphView& graph, const TreeOptions& options,
                                       ThreadPool& pool);

// Q = the sum over communities of W_in / 2m - gamma (tot / 2m)^2, where W_in counts both ends of
// its inner edges; at most 1. 0 for a graph without edges.
double modularity(const PageGraphView& graph, std::span<const uint32_t> community,
                  double resolution);

}  // namespace kith::topics
