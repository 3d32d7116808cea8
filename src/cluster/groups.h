// Groups of equal bags: CENTER scans each of them as one, and its result is expanded to all members
// (docs/algorithms/center.md, "Duplicates"). Pure.
//
// representative[id] is one fixed member of the group of id, e.g.
// similar::DuplicateGroups::representative (its own id for ids without a twin).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "cluster/clustering.h"

namespace kith::cluster {

// The scan order of the groups. A group is named by its representative and scanned at the rank of
// its earliest member.
std::vector<uint32_t> collapse_order(std::span<const uint32_t> order,
                                     std::span<const uint32_t> representative);

// The ids of a clustering of groups of equal bags, expanded to all members of the groups.
// `groups` clusters representatives: it was made with collapse_order(order, representative). Groups
// that `order` leaves out are clusters of their own, around their representative. A center stands
// for its group through the member that `order` has first; the others of the group join it with
// bag_total. The result is CENTER on the graph of all ids, if equal bags are adjacent and each of
// them has the neighbours of the others.
Clustering expand_groups(const Clustering& groups, std::span<const uint32_t> order,
                         std::span<const uint32_t> representative, ThreadPool& pool);

}  // namespace kith::cluster
