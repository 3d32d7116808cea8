// Splits buckets that are too large to compare, and remembers how, so that a pair still counts
// in exactly one table. Internal to this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "lsh/tables.h"
#include "sketch/signature.h"

namespace kith::pairs::internal {

// A bucket over the bound is divided by the value of one more coordinate after the other until
// its parts are within the bound. The coordinates of a table are fixed: first all lanes, in an
// order of the table's own, then bits of a hash of the id, which part even equal signatures. So
// two members are in one part if and only if they agree in as many coordinates as either of them
// was divided by: its depth.
class BucketSplitter {
 public:
  BucketSplitter(const Signatures& signatures, const lsh::Tables& tables, size_t largest);

  // Makes room for the depths of a table, of which some bucket will be split.
  void prepare(uint32_t table);
  bool is_split(uint32_t table) const { return !depths_[table].empty(); }

  // Divides the members (reordering them) and calls visit(part) for each part of at least two.
  // Thread-safe for disjoint sets of members, after prepare(table).
  void split(uint32_t table, std::span<uint32_t> members,
             const std::function<void(std::span<uint32_t> part)>& visit);

  // Whether two members of one bucket of the table are in one part of it.
  bool together(uint32_t table, uint32_t a, uint32_t b) const;

  // The first table in which a and b meet: in one bucket and in one part of it; the number of
  // tables when there is none.
  uint32_t first_meeting(uint32_t a, uint32_t b) const;

 private:
  uint32_t coordinate(uint32_t table, uint32_t depth, uint32_t id) const;
  bool collide(uint32_t table, uint32_t a, uint32_t b) const;

  const Signatures& signatures_;
  const lsh::Tables& tables_;
  const size_t largest_;
  std::vector<uint16_t> lane_order_;           // a permutation of the lanes
  std::vector<std::vector<uint16_t>> depths_;  // by table, then by id; empty: nothing split
  bool any_split_ = false;
};

}  // namespace kith::pairs::internal
