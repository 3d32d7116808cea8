// Scan orders: in which order CENTER meets the ids. It decides more than the algorithm does
// (docs/algorithms/center.md).
//
// A scan order is an array of ids, each at most once: order[rank] = id. It may leave ids out;
// those get no center. All functions are pure; those that take a pool are deterministic for
// any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kith/options.h"

#include "base/parallel/thread_pool.h"

namespace kith::cluster {

// What `automatic` means: degree with the exact engine, which has the pairs at hand, and mass
// with the tables.
constexpr Order resolve_order(Order order, bool exact_engine) {
  if (order != Order::automatic) return order;
  return exact_engine ? Order::degree : Order::mass;
}

// Ids by key, the largest first, ties by id. For degree, LSH mass (lsh_buckets.h), in-links.
// Memory: 32 bytes per id while it works.
std::vector<uint32_t> order_by_key(std::span<const uint64_t> keys, ThreadPool& pool);

// 0, 1, ..., n - 1: by URL, since ids are given in URL order.
std::vector<uint32_t> order_by_id(size_t n);

// A uniform permutation (Fisher-Yates). With it CENTER is the Pivot algorithm, a
// 3-approximation of correlation clustering (Ailon, Charikar, Newman 2008).
std::vector<uint32_t> random_order(size_t n, uint64_t seed);

}  // namespace kith::cluster
