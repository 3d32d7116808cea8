// Every page of a topic is put into the group where its own bag fits best.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "topics/options.h"
#include "topics/sums.h"
#include "topics/term_matrix.h"
#include "topics/vectors.h"

namespace kith::topics {

inline constexpr uint32_t no_group = UINT32_MAX;

struct Groups {
  std::vector<uint32_t> group;   // by node; no_group where it has none yet
  std::vector<uint64_t> pages;   // by group
  TermMatrix<uint64_t> sums;     // of the vectors of its pages, exact
  TermMatrix<float> directions;  // z_G = (S_G / n_G - mu) / length, which the last round used
};

// Groups whose nodes are given; their sums and pages are counted.
Groups make_groups(const TopicVectors& vectors, std::vector<uint32_t> group, uint32_t groups,
                   ThreadPool& pool);

// The directions of groups of so many pages and such sums. `sum` is that of all vectors.
void set_directions(const TopicVectors& vectors, std::span<const uint64_t> sum, Groups& groups,
                    ThreadPool& pool);

// Keeps these groups in this order. REQUIRES: the others have no nodes.
void reorder_groups(Groups& groups, std::span<const uint32_t> kept);

// Rounds in which every node goes to the group of greatest x.z_G, ties to the smaller number, all
// by the z of before the round. Then groups of fewer than min_group pages dissolve, and their nodes
// go to the best of the others; empty ones vanish. The remaining groups keep their order. `sum` is
// that of all vectors. The same for any number of threads.
void reassign(const TopicVectors& vectors, std::span<const uint64_t> sum,
              const TreeOptions& options, Groups& groups, ThreadPool& pool);

}  // namespace kith::topics
