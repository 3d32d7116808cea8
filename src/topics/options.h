// The constants of the topic tree (docs/algorithms/topics.md says what each is worth).
#pragma once

#include <algorithm>
#include <cstdint>

namespace kith::topics {

struct TreeOptions {
  double resolution = 2;            // gamma of modularity, > 0
  uint32_t sweeps = 30;             // at most so many over a level of the graph
  uint32_t refining_sweeps = 10;    // the same where a contraction is undone
  uint32_t cycles = 2;              // of taking communities to pieces and joining these again
  uint32_t max_communities = 1000;  // the largest, which are joined to groups
  double min_gain_root = 0;         // tau: groups as alike as tau mu.mu are joined, at the root
  double min_gain = 0.05;           // the same below it
  uint32_t rounds = 3;              // of reassignment
  uint32_t min_group = 3;           // pages of a topic, >= 2
  // Joined communities of fewer than 1 / group_share of the pages dissolve: of those of the topic,
  // or of those that are joined, if they are less than half.
  uint32_t group_share_root = 64;
  uint32_t group_share = 100;  // below the root
  uint32_t max_groups = 12;    // children of a topic, >= 2: what a person can look over
  uint32_t max_depth = 32;     // topics at this depth are leaves
  // Topics of more nodes are split one after the other by all threads, others by one thread each;
  // see also largest_alone().
  uint32_t max_alone = 1 << 13;
  uint32_t max_labels = 8;  // words of a topic
  // Bytes for the means of communities, at least: of a topic that all threads split, and of
  // max_alone nodes of another.
  uint64_t join_bytes = uint64_t{128} << 20;
  uint64_t join_alone = uint64_t{8} << 20;
};

// The most nodes of a topic that one thread splits, of so many in all: what the threads have at a
// time then is a small part of all.
constexpr uint64_t largest_alone(const TreeOptions& options, uint64_t nodes, unsigned threads) {
  return std::max<uint64_t>(options.max_alone, nodes / (uint64_t{64} * threads));
}

// What one thread has for means of communities, in bytes.
constexpr uint64_t join_memory_alone(const TreeOptions& options, uint64_t largest_alone) {
  return options.join_alone * (largest_alone / options.max_alone);
}

// The fewest pages of a topic that is split, in a collection of so many.
constexpr uint32_t min_split(uint64_t pages) {
  return pages < 1000 ? 15 : 30;
}

}  // namespace kith::topics
