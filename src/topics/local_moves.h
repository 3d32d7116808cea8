// Moves of single nodes between communities, sweep by sweep.
#pragma once

#include <cstdint>
#include <span>

#include "base/parallel/thread_pool.h"
#include "topics/graph.h"

namespace kith::topics {

struct MoveOptions {
  double resolution = 1;  // gamma, > 0
  uint32_t sweeps = 1;    // at most
  std::span<const uint32_t>
      bound{};  // by node: nodes only join others of the same number; none: all
};

// Moves nodes of `community` to the neighbouring community of the greatest gain
// W(x, D) - gamma d_x tot(D) / 2m, ties to the smaller number, where that is more than staying has.
// A fixed batch of consecutive nodes decides on the state before it; then its moves are made in
// order, each only if it is still an improvement: the same for any number of threads. Nodes next to
// a move are looked at again, until a sweep moves nothing, or from the fourth on fewer than
// n / 10000. Returns the number of moves.
// REQUIRES: communities are numbered below graph.size().
uint64_t move_nodes(const PageGraphView& graph, std::span<uint32_t> community,
                    const MoveOptions& options, ThreadPool& pool);
uint64_t move_nodes(const CommunityGraphView& graph, std::span<uint32_t> community,
                    const MoveOptions& options, ThreadPool& pool);

}  // namespace kith::topics
