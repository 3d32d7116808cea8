// The rows that an index of leaders compares: internal to this folder.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"
#include "base/memory.h"
#include "base/parallel/thread_pool.h"
#include "base/stores.h"
#include "cluster/order.h"
#include "sketch/bag.h"
#include "sketch/signature.h"

namespace kith::cluster {

// What comparing with the leaders reads: internal to this folder.

// Leaders, numbered from 0 as they are added: their rows, and the low bytes of their signatures
// side by side. Thread-safe for reading.
class LeaderRows {
 public:
  // copies: bags and signatures are copied; else they must stay where they are.
  LeaderRows(uint32_t lanes, bool copies) : lanes_(lanes), copies_(copies) {}

  size_t size() const { return rows_.size(); }
  // Bytes of a leader beside the copies of its bag and signature.
  static size_t bytes_of_one(uint32_t lanes) { return sizeof(Row) + lanes; }

  // Makes room, so that growing moves nothing. It costs nothing before it is used.
  void reserve(size_t leaders) {
    rows_.reserve(leaders);
    plane_.reserve(leaders * lanes_);
  }

  // Adds n leaders: the rows row(i), and plane(i), the low bytes of their signatures.
  template <class RowOf, class PlaneOf>
  void add(size_t n, const RowOf& row, const PlaneOf& plane, ThreadPool& pool) {
    constexpr size_t grain = 1 << 10;
    const std::span<Row> rows = rows_.grow(n);
    const std::span<uint8_t> planes = plane_.grow(n * lanes_);
    pool.for_chunks(n, grain, [&](size_t begin, size_t end, unsigned) {
      for (size_t i = begin; i < end; ++i) {
        const std::span<const uint8_t> low = plane(i);
        rows[i] = row(i);
        std::copy_n(low.data(), lanes_, &planes[i * lanes_]);
      }
    });
    if (!copies_) return;
    for (Row& added : rows) added = copy(added);
  }

  void clear() {
    rows_.clear();
    plane_.clear();
    copied_.clear();
  }

  const Row& operator[](size_t leader) const {
    KITH_CHECK(leader < rows_.size());
    return rows_[leader];
  }
  // The low bytes of all signatures.
  sketch::SignaturePlane plane() const { return {plane_, lanes_}; }

  // Have no effect but that the bag can be read faster; the second wants the effect of the first.
  void prefetch_row(uint32_t leader) const { __builtin_prefetch(&rows_[leader]); }
  void prefetch_bag(uint32_t leader) const { prefetch(rows_[leader].bag); }

 private:
  Row copy(const Row& row) { return {row.id, copied_.copy(row.bag), copied_.copy(row.signature)}; }

  uint32_t lanes_;
  bool copies_;
  LargeVector<Row> rows_;
  LargeVector<uint8_t> plane_;
  StableStore copied_;
};

// Exact sums of minima of one bag with many: internal to this folder.

// Hashes the entries of one bag into a table without collisions, so that every entry of another
// bag costs one look-up and no branch; a merge has a chain of dependent steps instead. Gives
// what kith::sum_of_minima() gives, its slow twin. Not thread-safe.
class BagMatcher {
 public:
  // The entries must stay where they are until the next set(). Time linear in the entries.
  void set(sketch::Bag bag);

  // With the bag that was set.
  uint32_t sum_of_minima(sketch::Bag other) const;

  // Whether a table without collisions was found; where it was not, bags are merged.
  bool hashed() const { return hashed_; }

 private:
  static constexpr size_t max_entries = 256;

  bool fill(uint32_t factor);
  void clear(sketch::Bag entries);
  size_t slot_of(uint32_t term) const { return (term * factor_) >> shift_; }

  sketch::Bag bag_;
  bool hashed_ = false;
  uint32_t factor_ = 1;
  uint32_t shift_ = 31;
  std::vector<sketch::BagEntry> slots_;  // weight 0 where empty; never smaller than 2^(32 - shift_)
};

}  // namespace kith::cluster
