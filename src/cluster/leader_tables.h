// The l tables of the leader index: internal to this folder.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/large_array.h"
#include "parallel/radix_sort.h"

namespace kith::cluster {

// l lists of (key, leader) entries, each sorted by key, with a directory of the keys' first bits:
// the leaders of a key lie side by side, and keys that are asked in ascending order pass over the
// memory once. New leaders are merged in, many at a time. There is no removal but clear().
//
// Thread-safety: const functions in parallel; merge() in parallel for different tables.
class LeaderTables {
 public:
  explicit LeaderTables(uint32_t tables) : tables_(tables) {}

  // Bytes that an entry takes.
  static constexpr double bytes_of_entry() {
    return sizeof(ShortKeyId) + 2.0 * sizeof(uint32_t) / cell_entries;
  }

  void clear();

  // Adds entries, sorted by key, with `first` added to their ids. Keys should be spread evenly over
  // 32 bits. Time: that of a pass over the table.
  void merge(uint32_t table, std::span<const ShortKeyId> sorted, uint32_t first = 0);
  // All entries of a table, sorted by key.
  std::span<const ShortKeyId> entries(uint32_t table) const { return tables_[table].entries; }

  void prefetch(uint32_t table, uint32_t key) const {
    const Table& list = tables_[table];
    if (list.entries.size() > 0) __builtin_prefetch(&list.entries[list.cell_begin(key)]);
  }

  // The entries of a key; valid until the next merge().
  std::span<const ShortKeyId> find(uint32_t table, uint32_t key) const {
    const Table& list = tables_[table];
    const std::span<const ShortKeyId> entries = list.entries;
    if (entries.empty()) return {};
    size_t begin = list.cell_begin(key);
    while (begin < entries.size() && entries[begin].key < key) ++begin;
    size_t end = begin;
    while (end < entries.size() && entries[end].key == key) ++end;
    return entries.subspan(begin, end - begin);
  }

 private:
  static constexpr size_t cell_entries = 8;  // on average, 4 to 8

  struct Table {
    LargeVector<ShortKeyId> entries;
    std::vector<uint32_t> cells;  // by the first bits of the keys: the first entry, or the size
    unsigned shift = 32;          // of a key, to its cell

    size_t cell_begin(uint32_t key) const { return cells[uint64_t{key} >> shift]; }
  };

  std::vector<Table> tables_;
};

}  // namespace kith::cluster
