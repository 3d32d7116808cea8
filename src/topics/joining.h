// Groups that are joined as long as they are alike: group average, by chains of nearest neighbours.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topics/group_similarity.h"

namespace kith::topics {

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

}  // namespace kith::topics
