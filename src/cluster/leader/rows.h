// What leaders are asked by: the rows that are compared, and the tables that name them. Internal to
// this folder.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/check.h"
#include "base/memory.h"
#include "base/parallel/radix_sort.h"
#include "base/parallel/thread_pool.h"
#include "base/stores.h"
#include "cluster/order.h"
#include "sketch/bag.h"
#include "sketch/signature.h"

namespace kith::cluster {

// What comparing with the leaders reads.

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

// Exact sums of minima of one bag with many.

// Hashes the entries of one bag into a table without collisions, so that every entry of another
// bag costs one look-up and no branch; a merge has a chain of dependent steps instead. Gives
// what sketch::sum_of_minima() gives, its slow twin. Not thread-safe.
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

// The l tables of the leader index.

// l lists of (key, leader) entries. A list is divided into cells of 256 keys, and a directory has
// where each begins, so that an entry keeps but the last 8 bits of its key, its tag, and takes 5
// bytes. Keys that are asked in ascending order pass over the memory once. New leaders are merged
// in, many at a time. There is no removal but clear().
//
// Thread-safety: const functions in parallel; merge() in parallel for different tables.
class LeaderTables {
 public:
  // keys: by table, what all keys are below, 1 to 2^32. The keys should be spread evenly, and eight
  // times as many as the entries or so: fewer make long cells, which are slow, more a directory
  // that outweighs the entries.
  explicit LeaderTables(std::span<const uint64_t> keys);

  // Bytes that an entry takes, and the directory of a table.
  static constexpr size_t bytes_of_entry() { return sizeof(uint8_t) + sizeof(uint32_t); }
  static constexpr size_t bytes_of_directory(uint64_t keys) {
    return (cells_of(keys) + 1) * sizeof(uint32_t);
  }

  void clear();

  // Makes room for so many entries of a table, so that growing moves nothing. It costs nothing
  // before it is used.
  void reserve(uint32_t table, size_t entries) { lists_[table].reserve(entries); }

  // Adds entries, sorted by key. Time: that of moving the table in memory.
  void merge(uint32_t table, std::span<const ShortKeyId> sorted) { lists_[table].merge(sorted); }

  // Has no effect but that find() may be faster.
  void prefetch(uint32_t table, uint32_t key) const { lists_[table].prefetch(key); }

  // Calls visit(id) for the entries of a key.
  template <class Visit>
  void find(uint32_t table, uint32_t key, const Visit& visit) const {
    lists_[table].find(key, visit);
  }

 private:
  static constexpr unsigned tag_bits = 8;
  static constexpr size_t cell_of(uint32_t key) { return key >> tag_bits; }
  static constexpr size_t cells_of(uint64_t keys) { return ((keys - 1) >> tag_bits) + 1; }

  class List {
   public:
    explicit List(uint64_t keys);
    void clear();
    void reserve(size_t entries);
    void merge(std::span<const ShortKeyId> sorted);
    void prefetch(uint32_t key) const;
    template <class Visit>
    void find(uint32_t key, const Visit& visit) const;

   private:
    static constexpr size_t word = sizeof(uint64_t);  // tags that are compared at once

    // The highest bits of those of the tags at `i` that are equal to `tag`.
    uint64_t equal_tags(size_t i, uint8_t tag) const;

    LargeArray<uint32_t> begins_;  // by cell: its first entry; and the number of entries
    LargeVector<uint8_t> tags_;    // by entry; a word follows that means nothing
    LargeVector<uint32_t> ids_;    // by entry
  };

  std::vector<List> lists_;
};

inline void LeaderTables::List::prefetch(uint32_t key) const {
  const uint32_t first = begins_[cell_of(key)];
  __builtin_prefetch(tags_.data() + first);
  __builtin_prefetch(ids_.data() + first);
}

inline uint64_t LeaderTables::List::equal_tags(size_t i, uint8_t tag) const {
  constexpr uint64_t ones = 0x0101010101010101;
  constexpr uint64_t low = 0x7f * ones;
  uint64_t tags = 0;
  std::memcpy(&tags, tags_.data() + i, word);
  const uint64_t different = tags ^ tag * ones;  // in bytes that are not zero
  return ~(((different & low) + low) | different | low);
}

template <class Visit>
void LeaderTables::List::find(uint32_t key, const Visit& visit) const {
  const size_t end = begins_[cell_of(key) + 1];
  for (size_t i = begins_[cell_of(key)]; i < end; i += word) {
    uint64_t equal = equal_tags(i, static_cast<uint8_t>(key));
    if (end - i < word) equal &= (uint64_t{1} << 8 * (end - i)) - 1;
    for (; equal != 0; equal &= equal - 1) {
      visit(ids_[i + static_cast<size_t>(std::countr_zero(equal)) / 8]);
    }
  }
}

}  // namespace kith::cluster
