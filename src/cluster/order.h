// Scan orders: in which order CENTER meets the ids. It decides more than the algorithm does
// (DESIGN.md section 2, "Order matters more than the algorithm").
//
// A scan order is an array of ids, each at most once: order[rank] = id. It may leave ids out;
// those get no center. All functions are pure; those that take a pool are deterministic for
// any number of threads.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "kith/options.h"

#include "lsh/tables.h"
#include "parallel/thread_pool.h"
#include "sketch/signature.h"

namespace kith::cluster {

// What `automatic` means: degree with the exact engine, which has the pairs at hand, and mass
// with the tables.
constexpr Order resolve_order(Order order, bool exact_engine) {
  if (order != Order::automatic) return order;
  return exact_engine ? Order::degree : Order::mass;
}

// Ids by key, the largest first, ties by id. For degree, LSH mass, in-links. Memory: 32 bytes an
// id while it works.
std::vector<uint32_t> order_by_key(std::span<const uint64_t> keys, ThreadPool& pool);

// 0, 1, ..., n - 1: by URL, since ids are given in URL order.
std::vector<uint32_t> order_by_id(size_t n);

// A uniform permutation (Fisher-Yates). With it CENTER is the Pivot algorithm, a
// 3-approximation of correlation clustering (Ailon, Charikar, Newman 2008).
std::vector<uint32_t> random_order(size_t n, uint64_t seed);

// rank[id] for every id in [0, n); no_rank for ids that the order leaves out.
inline constexpr uint32_t no_rank = std::numeric_limits<uint32_t>::max();
std::vector<uint32_t> ranks_of(std::span<const uint32_t> order, size_t n);

// The tables that mass is counted in: all, but no more than these. It is a sum of samples, and
// beyond some dozens of them the order hardly changes (docs/algorithms/center.md).
inline constexpr uint32_t most_mass_tables = 64;

// mass(u) = the sum over the first min(l, most_mass_tables) tables of (bucket size - 1): how many
// others u collides with, repeats counted; its expectation grows with the similarities of u, so
// it stands in for the degree without any pair being compared. Counted among `ids` (ascending;
// leave empty bags out); the result is indexed by id and is 0 for the rest. multiplicity[id] says
// for how many equal bags an id stands, itself included; an empty span means 1 for all.
// The signatures are read once for every group of tables whose keys fit `memory` bytes, in the
// order of ids, and released. Time O(|ids| * l); memory besides the result: 40 |ids| bytes, and up
// to `memory` where that is more.
std::vector<uint64_t> lsh_mass(const lsh::Tables& tables, const Signatures& signatures,
                               std::span<const uint32_t> ids,
                               std::span<const uint32_t> multiplicity, uint64_t memory,
                               ThreadPool& pool);

// The scan order of the groups of equal bags. representative[id] is one fixed member of the
// group of id, e.g. pairs::DuplicateGroups::representative (its own id for ids without a
// twin). A group is named by its representative and scanned at the rank of its earliest member.
std::vector<uint32_t> collapse_order(std::span<const uint32_t> order,
                                     std::span<const uint32_t> representative);

}  // namespace kith::cluster
