// Communities of a graph: Leiden by levels, each contracted to the next.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "topics/graph.h"
#include "topics/options.h"

namespace kith::topics {

// The weight of a node's edges by the community at their other end.

// A table of weights that stays in the cache, and is cleared by what was entered: one by community
// where there are few, else a small hash table. Not thread-safe.
class CommunityWeights {
 public:
  struct Entry {
    uint32_t community;
    uint64_t weight;
  };

  // Makes room for so many additions to communities numbered below `communities`, and forgets what
  // was added before.
  void begin(size_t additions, size_t communities) {
    for (size_t i = 0; i < size_; ++i) weight_[used_[i]] = 0;
    size_ = 0;
    is_direct_ = communities <= max_direct;
    const size_t slots = is_direct_ ? communities : std::bit_ceil(2 * additions + 2);
    if (slots > weight_.size()) weight_.resize(slots);
    if (additions >= used_.size()) used_.resize(2 * additions + 1);
    if (is_direct_) return;
    if (slots > community_.size()) community_.resize(slots);
    mask_ = static_cast<uint32_t>(slots - 1);
  }

  // REQUIRES: weight > 0.
  void add(uint32_t community, uint64_t weight) {
    if (is_direct_) {
      size_ = enter_direct(weight_.data(), used_.data(), size_, {community, weight});
    } else {
      enter_hashed({community, weight});
    }
  }

  // Adds the edges for which wanted(edge) is true to the communities of the nodes they lead to.
  template <class Edges, class Wanted>
  void add(const Edges& edges, std::span<const uint32_t> community, const Wanted& wanted) {
    if (!is_direct_) {
      for (const auto& edge : edges) {
        if (wanted(edge)) enter_hashed({community[edge.to], edge.weight});
      }
      return;
    }
    // In registers: the compiler would read members again after each store into the table.
    uint64_t* const weights = weight_.data();
    uint32_t* const used = used_.data();
    size_t size = size_;
    for (const auto& edge : edges) {
      const uint64_t weight = wanted(edge) ? edge.weight : 0;
      size = enter_direct(weights, used, size, {community[edge.to], weight});
    }
    size_ = size;
  }

  size_t size() const { return size_; }
  // In the order of their first addition. REQUIRES: i < size().
  Entry operator[](size_t i) const {
    const uint32_t slot = used_[i];
    return {is_direct_ ? slot : community_[slot], weight_[slot]};
  }

 private:
  // A megabyte: more would be read from memory.
  static constexpr size_t max_direct = size_t{1} << 17;

  // Returns how many slots are used then. Without a branch, which would often be mispredicted.
  static size_t enter_direct(uint64_t* weights, uint32_t* used, size_t size, Entry entry) {
    const uint64_t before = weights[entry.community];
    weights[entry.community] = before + entry.weight;
    used[size] = entry.community;
    return size + static_cast<size_t>((before == 0) & (entry.weight != 0));
  }

  void enter_hashed(Entry entry) {
    uint32_t slot = (entry.community * 0x9e3779b1u >> 7) & mask_;
    while (weight_[slot] != 0 && community_[slot] != entry.community) slot = (slot + 1) & mask_;
    if (weight_[slot] == 0) {
      community_[slot] = entry.community;
      used_[size_++] = slot;
    }
    weight_[slot] += entry.weight;
  }

  bool is_direct_ = true;
  std::vector<uint64_t> weight_;     // by slot; 0 where it is free
  std::vector<uint32_t> community_;  // by slot of the hash table
  std::vector<uint32_t> used_;       // slots, the first size_
  size_t size_ = 0;
  uint32_t mask_ = 0;
};

// A graph whose nodes are the communities of another.

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

// Communities of a graph: groups of nodes with many edges inside (docs/algorithms/topics.md).

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

// Moves of single nodes between communities, sweep by sweep.
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
