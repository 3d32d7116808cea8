// Splits buckets that are too large to compare, and remembers how.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "lsh/tables.h"
#include "pairs/signature_rows.h"

namespace kith::pairs {

// A bucket of more distinct bags than this may be split (bucket_bounds.h raises the bound where
// comparing takes little), so that what a bag is compared with does not grow with the collection.
inline constexpr uint32_t largest_bucket = 512;

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
  // Holds no reference to the tables. largest: the bound of every table, at least 2.
  explicit BucketSplits(const lsh::Tables& tables, size_t largest = largest_bucket);

  // The bound of a table.
  size_t largest(uint32_t table) const { return largest_[table]; }
  // REQUIRES: no bucket of the table was split.
  void set_largest(uint32_t table, size_t largest);
  // Whether any bucket of the table was split.
  bool any(uint32_t table) const { return !nodes_[table].empty(); }

  // Divides the rows of a bucket, ascending (reordering them), remembers how, and calls visit(part)
  // for each part of at least two, ascending too. Thread-safe, but not against the const functions
  // for the same table.
  void split(uint32_t table, uint32_t key, const SignatureRows& rows, std::span<uint32_t> members,
             const std::function<void(std::span<uint32_t> part)>& visit);

  // The part that an id is in, by its key in the table: the key itself where its bucket was not
  // split, else 64 well-mixed bits, which two parts share with a chance of 2^-64.
  uint64_t part(uint32_t table, uint64_t table_key, const SignatureRows& rows, uint32_t row) const {
    return part_of(table, table_key, rows.id(row),
                   [&](uint32_t lane) { return rows.value(row, lane); });
  }
  uint64_t part(uint32_t table, uint64_t table_key, uint32_t id,
                std::span<const uint16_t> signature) const {
    return part_of(table, table_key, id, [&](uint32_t lane) { return signature[lane]; });
  }

 private:
  using Nodes = boost::unordered_flat_set<uint64_t>;

  // A node is named by its key and the values on the way to it; a root by its key.
  static uint64_t child_of(uint64_t node, uint32_t value);

  template <class Value>
  uint32_t coordinate(uint32_t table, uint32_t depth, uint32_t id, const Value& value) const {
    return depth < lanes() ? value(lane(table, depth)) : id_bit(table, depth - lanes(), id);
  }
  uint32_t lanes() const { return static_cast<uint32_t>(lane_order_.size()); }
  // Each table starts at another place of the order, so that a pair which one table separates is
  // not separated by the same lanes in the next.
  uint32_t lane(uint32_t table, uint32_t depth) const {
    return lane_order_[(depth + 7 * table) % lanes()];
  }
  uint32_t gathered_depths() const { return std::min(lanes(), 16u); }
  std::vector<uint16_t> gather(uint32_t table, const SignatureRows& rows,
                               std::span<const uint32_t> members) const;
  static uint32_t id_bit(uint32_t table, uint32_t depth, uint32_t id);

  template <class Value>
  uint64_t part_of(uint32_t table, uint64_t table_key, uint32_t id, const Value& value) const {
    const Nodes& nodes = nodes_[table];
    uint64_t node = bucket_key(table_key);
    if (nodes.empty() || !nodes.contains(node)) return table_key;
    for (uint32_t depth = 0; nodes.contains(node); ++depth) {
      node = child_of(node, coordinate(table, depth, id, value));
    }
    return node;
  }

  std::vector<size_t> largest_;       // by table
  std::vector<uint16_t> lane_order_;  // a permutation of the lanes
  std::vector<Nodes> nodes_;          // by table
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();  // of nodes_, for split()
};

}  // namespace kith::pairs
