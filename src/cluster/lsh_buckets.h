// What the buckets of all tables tell before any pair is compared: who meets many, and who meets
// nobody (docs/algorithms/center.md).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/memory.h"
#include "base/parallel/thread_pool.h"
#include "similar/duplicates.h"
#include "similar/tables/bucket_scan.h"
#include "similar/tables/bucket_split.h"
#include "sketch/lsh/tables.h"
#include "sketch/signature.h"

namespace kith::cluster {

// For every id the tables in which it shares its bucket with another: a bit each. In the others
// it need not look for leaders, nor be looked for: with k = 2 half of them, with k = 3 nine of
// ten. Thread-safe for reading.
class SharedTables {
 public:
  SharedTables(size_t ids, uint32_t tables);

  // The bits of 64 tables, of which `table` is one, make a word.
  static uint64_t bit(uint32_t table) { return uint64_t{1} << table % word_bits; }
  static bool ends_word(uint32_t table) { return table % word_bits == word_bits - 1; }
  void set_word(uint32_t id, uint32_t table, uint64_t word) {
    bits_[id * words_ + table / word_bits] = word;
  }

  bool shares(uint32_t id, uint32_t table) const {
    return (bits_[id * words_ + table / word_bits] & bit(table)) != 0;
  }
  // Calls visit(table) for those in [begin, end), ascending.
  template <class Visit>
  void for_each(uint32_t id, uint32_t begin, uint32_t end, Visit&& visit) const;

  void prefetch(uint32_t id) const { __builtin_prefetch(&bits_[id * words_]); }

  // Bytes for so many ids.
  static uint64_t bytes(size_t ids, uint32_t tables);

 private:
  static constexpr uint32_t word_bits = 64;
  static size_t words(uint32_t tables) { return (tables + word_bits - 1) / word_bits; }

  size_t words_;  // of an id
  LargeArray<uint64_t> bits_;
};

// The tables, with buckets over a bound split (similar/tables/bucket_split.h). Two ids meet in a
// table when their parts are equal.
struct LshBuckets {
  sketch::Tables tables;
  similar::BucketSplits splits;
  SharedTables shared;
  // mass(u) = the sum over all tables of the number of others in u's bucket, split or not, repeats
  // counted. Its expectation grows with the similarities of u, so it stands in for the degree
  // without any pair being compared. By id; 0 for those that were not scanned.
  LargeArray<uint64_t> mass;
  // By table, how many ids share their bucket in it.
  std::vector<uint64_t> sharing;
  similar::SplitStats split;  // over all tables
  similar::Classes classes;   // ids of two classes are in no bucket together

  // A part in few bits, from its similar::bucket_key(), with which it ascends: below
  // short_parts(table), some 8 for every id that shares its bucket in the table. So two parts are
  // taken for one now and then, but the same two whatever memory there is.
  uint32_t short_part(uint32_t table, uint32_t bucket_key) const {
    return static_cast<uint32_t>(bucket_key * short_parts(table) >> 32);
  }
  // A multiple of 256, below 2^32.
  uint64_t short_parts(uint32_t table) const {
    return std::min(sharing[table] / 32 + 1, (uint64_t{1} << 24) - 1) * 256;
  }
};

struct BucketOptions {
  size_t largest =
      similar::largest_bucket;   // the minimum bound (similar/tables/bucket_scan.h), >= 2
  uint64_t memory = UINT64_MAX;  // bytes for the keys of a group of tables
  // The class is one more coordinate of every key. The array must outlive the buckets.
  similar::Classes classes = {};
  // Of buckets over 512: what stays together, however large the bucket is; by default nothing.
  similar::PivotRule pivots = {};
};

// Scans the buckets of `ids` (ascending; leave empty bags out). multiplicity[id] says for how many
// equal bags an id stands in the mass, itself included; an empty span means 1 for all. The
// signatures are read once for every group of tables whose keys fit the memory, in the order of
// ids, and released. Time O(|ids| l); the same for any number of threads and any memory, of which
// it takes BucketScan::bytes_per_row() for an id, besides 24 and the result: 8 and
// SharedTables::bytes().
LshBuckets scan_buckets(const sketch::Tables& tables, const sketch::Signatures& signatures,
                        std::span<const uint32_t> ids, std::span<const uint32_t> multiplicity,
                        const BucketOptions& options, ThreadPool& pool);

template <class Visit>
void SharedTables::for_each(uint32_t id, uint32_t begin, uint32_t end, Visit&& visit) const {
  for (uint32_t first = begin / word_bits * word_bits; first < end; first += word_bits) {
    uint64_t word = bits_[id * words_ + first / word_bits];
    if (first < begin) word &= ~uint64_t{0} << (begin - first);
    if (end - first < word_bits) word &= (uint64_t{1} << (end - first)) - 1;
    for (; word != 0; word &= word - 1) {
      visit(first + static_cast<uint32_t>(std::countr_zero(word)));
    }
  }
}

}  // namespace kith::cluster
