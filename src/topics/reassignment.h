// Groups that are joined while they are alike, nodes that move to a nearer one, and groups of pages
// of one language each, at the first level of the tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "topics/group_means.h"
#include "topics/options.h"
#include "topics/vectors.h"

namespace kith::topics {

// Groups that are joined as long as they are alike: group average, by chains of nearest neighbours.
struct Merge {
  uint32_t a;  // a < b; the group of both is a
  uint32_t b;
  double similarity;
};

// The tree of joining all groups into one, the two most alike first: C of a union is the mean of
// its parts weighted by pages, which is exact for averages over pairs, and never above the greater,
// so that chains find the same tree as looking at all pairs would (Murtagh and Contreras,
// Algorithms for hierarchical clustering: an overview, 2012). n - 1 merges by falling similarity,
// each after those of its parts. O(n^2). REQUIRES: pages > 0 for each group.
std::vector<Merge> merge_tree(SimilarityMatrix similarity, std::span<const uint64_t> pages);

struct JoinLimits {
  double least = 0;        // groups that are no more alike than this stay apart
  uint64_t min_pages = 0;  // what has fewer pages in the end does not count
  size_t max_groups = 0;   // beyond so many that count, joining goes on all the same
};

// Joins groups of so many pages by their tree, as far as the limits say and while more than two are
// left. By group: the number of what it is part of, from 0 by the first part.
std::vector<uint32_t> join(std::span<const Merge> tree, std::span<const uint64_t> pages,
                           const JoinLimits& limits);

// Every page of a topic is put into the group where its own bag fits best.
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

// Takes pages out of the groups of other languages. language: by node, in [1, 255]; 0: not known,
// which stays where it is. A language counts that has `least` pages, of the 12 largest; those whose
// pages share words (a cosine of the sums above .2) count as one. A group keeps the language that
// most of its pages have. Pages of another one become a group of their own where they are `least`
// or more, else they go to the largest group of their language, which is made where there is none.
// Sums, pages and directions are those of the new groups. `sum` is that of all vectors. The same
// for any number of threads. Memory: 8 bytes for each term and language, besides the groups.
void separate_languages(const TopicVectors& vectors, std::span<const uint64_t> sum,
                        std::span<const uint8_t> language, uint64_t least, Groups& groups,
                        ThreadPool& pool);

// At most so many groups more than there were.
inline constexpr uint32_t max_separated = 12;

}  // namespace kith::topics
