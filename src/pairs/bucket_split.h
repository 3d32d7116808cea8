// Splits buckets that are too large to compare, and remembers how. Internal to this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <unordered_set>
#include <vector>

#include "lsh/tables.h"
#include "pairs/block_rows.h"

namespace kith::pairs::internal {

// The key by which a table sorts: 32 bits of lsh::Tables::key(). Two that are equal by chance
// put strangers into one bucket, where the comparison of lanes tells them apart.
inline uint32_t bucket_key(uint64_t table_key) {
  return static_cast<uint32_t>(table_key >> 32);
}

// A bucket over the bound is divided by the value of one more coordinate after the other until its
// parts are within the bound. The coordinates of a table are fixed: first all lanes, in an order
// of the table's own, then bits of a hash of the id, which part even equal signatures. So a table
// with split buckets is a set of trees, and what is remembered are their inner nodes: the part
// that an id is in follows from its signature and the id alone, whatever else is in memory.
class BucketSplits {
 public:
  BucketSplits(const lsh::Tables& tables, size_t largest);

  size_t largest() const { return largest_; }
  // Whether any bucket of the table was split.
  bool any(uint32_t table) const { return !nodes_[table].empty(); }

  // Divides the rows of a bucket (reordering them), remembers how, and calls visit(part) for each
  // part of at least two. Thread-safe, but not against the const functions for the same table.
  void split(uint32_t table, uint32_t key, const BlockRows& rows, std::span<uint32_t> members,
             const std::function<void(std::span<uint32_t> part)>& visit);

  // A key of the part that a row of a bucket is in: the bucket's own where it was not split.
  uint32_t part_key(uint32_t table, uint32_t key, const BlockRows& rows, uint32_t row) const;

  // Whether two rows whose values in the table's lanes are equal are in one part of their bucket.
  bool together(uint32_t table, const BlockRows& rows, uint32_t a, uint32_t b) const;

 private:
  uint32_t coordinate(uint32_t table, uint32_t depth, const BlockRows& rows, uint32_t row) const;

  const lsh::Tables& tables_;
  const size_t largest_;
  std::vector<uint16_t> lane_order_;                 // a permutation of the lanes
  std::vector<std::unordered_set<uint64_t>> nodes_;  // by table
  std::mutex mutex_;                                 // of nodes_, for split()
};

}  // namespace kith::pairs::internal
