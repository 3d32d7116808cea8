// The l tables of the leader index: internal to this folder.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/memory.h"
#include "base/parallel/radix_sort.h"

namespace kith::cluster {

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
