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
// memory once. New leaders are merged, many at a time, into a second list of each table, and that
// into the first whenever it has reached a quarter of it: so an entry is moved a few times, however
// many merges there are. There is no removal but clear().
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

  // Makes room for so many entries of a table, so that growing moves nothing. It costs nothing
  // before it is used.
  void reserve(uint32_t table, size_t entries) {
    tables_[table].old.entries.reserve(entries);
    tables_[table].recent.entries.reserve(entries / recent_share);
  }

  // Adds entries, sorted by key, with `first` added to their ids. Keys should be spread evenly over
  // 32 bits. Time: that of a pass over the second list; now and then, over the table.
  void merge(uint32_t table, std::span<const ShortKeyId> sorted, uint32_t first = 0);
  // All entries of a table, sorted by key: brings the two lists together.
  std::span<const ShortKeyId> entries(uint32_t table);

  void prefetch(uint32_t table, uint32_t key) const {
    tables_[table].old.prefetch(key);
    tables_[table].recent.prefetch(key);
  }

  // Calls visit(id) for the entries of a key.
  template <class Visit>
  void find(uint32_t table, uint32_t key, const Visit& visit) const {
    tables_[table].old.find(key, visit);
    tables_[table].recent.find(key, visit);
  }

 private:
  static constexpr size_t cell_entries = 8;  // on average, 4 to 8
  static constexpr size_t recent_share = 4;  // the recent list is at most a quarter of the old

  struct List {
    LargeVector<ShortKeyId> entries;
    std::vector<uint32_t> cells;  // by the first bits of the keys: the first entry, or the size
    unsigned shift = 32;          // of a key, to its cell

    void merge(std::span<const ShortKeyId> sorted, uint32_t first);
    void clear();

    size_t cell_begin(uint32_t key) const { return cells[uint64_t{key} >> shift]; }
    void prefetch(uint32_t key) const {
      if (entries.size() > 0) __builtin_prefetch(&entries[cell_begin(key)]);
    }
    template <class Visit>
    void find(uint32_t key, const Visit& visit) const {
      if (entries.size() == 0) return;
      const std::span<const ShortKeyId> all = entries;
      size_t i = cell_begin(key);
      while (i < all.size() && all[i].key < key) ++i;
      for (; i < all.size() && all[i].key == key; ++i) visit(all[i].id);
    }
  };

  struct Table {
    List old;
    List recent;
    void settle();
  };

  std::vector<Table> tables_;
};

}  // namespace kith::cluster
