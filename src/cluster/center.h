// CENTER by one scan over sorted pairs, as the paper (section 3.4) has it: the slow twin of the
// leader index, and what the paper's own pipeline does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cluster/clustering.h"
#include "pairs/neighbour.h"
#include "parallel/thread_pool.h"

namespace kith::cluster {

// Clusters the ids of `order` by the similarity graph of `pairs`: verified pairs, each once, in
// any order; those with an id outside `order` are ignored. Both directions of every pair are
// sorted by the rank of the left node, then of the right one, and scanned once: a node that
// appears on the left unmarked becomes a center, and its unmarked neighbours are marked as its
// members. A node without pairs is a center too. With Assign::best, every member then goes to
// the adjacent center with the largest sum of minima, ties to the earliest.
// Pure. Time O(P log P), memory 24 bytes per pair.
Clustering center_by_scan(size_t n, std::span<const pairs::Pair> pairs,
                          std::span<const uint32_t> order, Assign assign = Assign::first);

// The ids of a clustering of groups of equal bags, expanded to all members of the groups.
// `groups` clusters representatives: it was made with collapse_order(order, representative), of an
// order of all ids. A center stands for its group through the member that `order` has first; the
// others of the group join it with bag_total. The result is CENTER on the graph of all ids, if
// equal bags are adjacent and each of them has the neighbours of the others
// (docs/algorithms/center.md).
Clustering expand_groups(const Clustering& groups, std::span<const uint32_t> order,
                         std::span<const uint32_t> representative, ThreadPool& pool);

}  // namespace kith::cluster
