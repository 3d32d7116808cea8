// The l hash tables of the leader index: internal to this folder.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/hash.h"

namespace kith::cluster {

// l multimaps from a key to ids. A bucket is one cache line: 12 one-byte tags (the low byte of
// the key), 12 ids. An entry lies in the first bucket with room along a sequence of buckets that
// its key determines; each step of the sequence is a fresh hash, so a key that many ids share
// spreads over the table and does not slow the look-ups of others. A key that has filled its
// sequence has a list of its own, so that an insert takes no longer the more there are. Look-ups
// give all ids of the key, and an id of another key with a chance of about 1/256 per entry seen:
// the caller verifies. There is no removal but clear().
//
// Thread-safety: const functions in parallel; insert() in parallel for different tables.
class LeaderTables {
 public:
  explicit LeaderTables(uint32_t tables) : tables_(tables), overflow_(tables) {}

  // How many ids every table has room for: no insert may go beyond.
  size_t capacity() const { return capacity_; }
  // Bytes held.
  size_t bytes() const { return tables_ * per_table_ * sizeof(Bucket); }
  // Bytes that an id takes in one table, at capacity.
  static constexpr size_t bytes_of_entry() {
    return sizeof(Bucket) * 100 / (slots * fill_percent) + 1;
  }

  // Removes all entries, and makes room for `ids` in every table.
  void reset(size_t ids);
  // Removes all entries; the room stays.
  void clear();

  void insert(uint32_t table, uint64_t key, uint32_t id) {
    for (uint64_t step = 0; step < most_steps; ++step) {
      Bucket& bucket = buckets_[index(table, key, step)];
      if (bucket.full()) continue;
      bucket.add(tag_of(key), id);
      return;
    }
    overflow_[table][key].push_back(id);
  }

  void prefetch(uint32_t table, uint64_t key) const {
    if (capacity_ > 0) __builtin_prefetch(&buckets_[index(table, key, 0)]);
  }

  // Calls visit(id) for the ids of a key, and now and then of another.
  template <class Visit>
  void find(uint32_t table, uint64_t key, Visit&& visit) const {
    if (capacity_ == 0) return;
    for (uint64_t step = 0; step < most_steps; ++step) {
      const Bucket& bucket = buckets_[index(table, key, step)];
      bucket.visit_matches(tag_of(key), visit);
      if (!bucket.full()) return;
    }
    const auto found = overflow_[table].find(key);
    if (found == overflow_[table].end()) return;
    for (const uint32_t id : found->second) visit(id);
  }

 private:
  static constexpr uint32_t slots = 12;
  static constexpr uint64_t most_steps = 16;
  // At 8 of 10 slots taken, 9 of 100 buckets are full: a look-up reads 1.1 cache lines.
  static constexpr size_t fill_percent = 80;

  struct alignas(64) Bucket {
    std::array<uint8_t, slots> tags{};
    uint32_t size = 0;
    std::array<uint32_t, slots> ids{};

    bool full() const { return size == slots; }
    void add(uint8_t tag, uint32_t id) {
      tags[size] = tag;
      ids[size++] = id;
    }
    // Calls visit(id) for the entries with this tag.
    template <class Visit>
    void visit_matches(uint8_t tag, Visit&& visit) const {
      std::array<uint64_t, 2> words;  // the tags, then the size, which is masked out
      std::memcpy(words.data(), this, sizeof(words));
      const uint64_t low_size = size < 8 ? size : 8;
      visit_bytes(zero_bytes(words[0] ^ ones * tag) & first_bytes(low_size), 0, visit);
      visit_bytes(zero_bytes(words[1] ^ ones * tag) & first_bytes(size - low_size), 8, visit);
    }

   private:
    static constexpr uint64_t ones = 0x0101010101010101u;

    // 0x80 in every byte that is zero, and 0 in the others.
    static uint64_t zero_bytes(uint64_t word) {
      constexpr uint64_t low_bits = 0x7f * ones;
      return ~(((word & low_bits) + low_bits) | word | low_bits);
    }
    // The first n bytes, n in [0, 8].
    static uint64_t first_bytes(uint64_t n) {
      return n == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * n) - 1;
    }

    template <class Visit>
    void visit_bytes(uint64_t marks, size_t first, Visit&& visit) const {
      for (; marks != 0; marks &= marks - 1) {
        visit(ids[first + static_cast<size_t>(std::countr_zero(marks)) / 8]);
      }
    }
  };
  static_assert(sizeof(Bucket) == 64);

  struct Free {
    std::align_val_t alignment;
    void operator()(Bucket* buckets) const { ::operator delete(buckets, alignment); }
  };

  static uint8_t tag_of(uint64_t key) { return static_cast<uint8_t>(key); }

  size_t index(uint32_t table, uint64_t key, uint64_t step) const {
    const uint64_t hash = step == 0 ? key : mix64(key + step);
    return table * per_table_ + (((hash >> 32) * per_table_) >> 32);
  }

  const uint32_t tables_;
  size_t per_table_ = 0;  // buckets of a table; below 2^32
  size_t capacity_ = 0;
  std::unique_ptr<Bucket[], Free> buckets_;  // table by table
  // By table: the ids of keys that have filled their sequences.
  std::vector<boost::unordered_flat_map<uint64_t, std::vector<uint32_t>>> overflow_;
};

}  // namespace kith::cluster
