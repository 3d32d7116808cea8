// The buckets of a table: how large one may be, and its scan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "base/memory.h"
#include "base/parallel/radix_sort.h"
#include "base/parallel/thread_pool.h"
#include "similar/duplicates.h"
#include "similar/neighbour.h"
#include "similar/tables/block_rows.h"
#include "similar/tables/bucket_split.h"
#include "sketch/bag.h"
#include "sketch/lsh/tables.h"
#include "sketch/signature.h"

namespace kith::similar {

// How large a bucket may be before it is split, where what comparing costs allows more than the
// least (docs/algorithms/near-duplicates.md, "Large buckets").

// The buckets of a table of some bound.
struct alignas(worker_alignment) BucketSizes {
  uint64_t small = 0;           // comparisons of those within the bound
  std::vector<uint64_t> large;  // members of the others

  void add(uint64_t members, uint64_t bound);
  BucketSizes& operator+=(const BucketSizes& more);
};

// The bound, doubled for as long as the buckets take no more than half the comparisons that buckets
// of the old bound would, if every row were in one. So a few large buckets among many small ones
// are not split and lose no pair, and the worst case stays what it was.
uint64_t raised_bound(uint64_t bound, const BucketSizes& sizes, size_t rows);

// Raises the bound of every table, none of which may have a split bucket. The same for any number
// of threads and any memory, of which it takes BucketScan::bytes_per_row(), as far as `memory`
// bytes allow; 0: any.
void raise_bounds(const SignatureRows& rows, const sketch::Tables& tables, BucketSplits& splits,
                  uint64_t memory, ThreadPool& pool);

// The buckets of all tables, table by table.
struct SplitStats {
  uint64_t buckets = 0;  // over the bound, over all tables, whole parts taken away
  uint64_t members = 0;  // ids in them
  uint64_t largest = 0;  // ids in the largest of them

  SplitStats& operator+=(const SplitStats& more);
};

// A bucket over the bound of its table.
struct LargeBucket {
  // Of more rows than this one bucket is work enough for all threads.
  static constexpr size_t giant = 1 << 15;
  uint32_t key = 0;
  std::vector<uint32_t> members;  // rows, ascending
  bool is_giant() const { return members.size() > giant; }
};

// The keys of a group of tables are computed in one pass over the rows. Table by table, the rows
// are dealt to partitions by the first bits of their keys; a partition fits the cache, where it is
// sorted. Every bucket is in one partition.
class BucketScan {
 public:
  static constexpr uint32_t max_group = 16;
  // Memory of a row, if the keys of `group` tables are computed at once.
  static constexpr size_t bytes_per_row(uint32_t group = max_group) {
    return group * sizeof(uint32_t) + sizeof(ShortKeyId);
  }
  // The largest group for which so many rows fit the memory; 1 where none does.
  static uint32_t group_within(uint64_t memory, size_t rows);

  // splits_known: `splits` holds all splits of these and all other rows, and none is made here;
  // else buckets over the bound are split, and the splits remembered. The rows, tables and splits
  // must outlive this object. group: in [1, max_group].
  BucketScan(const SignatureRows& rows, const sketch::Tables& tables, BucketSplits& splits,
             bool splits_known, ThreadPool& pool, uint32_t group = max_group);

  // From now on whole parts are given to `visit` as they are found. It is called by several threads
  // at a time. Where the splits were known before they are left out.
  void set_whole(BucketSplits::VisitWhole visit) { visit_whole_ = std::move(visit); }

  // From now on only ids of one class are in one bucket.
  void set_classes(const Classes& classes) { classes_ = classes; }

  // Prepares a table: 0, 1, 2 and so on.
  void start(uint32_t table);
  size_t partitions() const { return ends_.size(); }

  // Calls visit(members) for the buckets of at least two rows, and parts of buckets, of a
  // partition of the table that was started: row numbers, ascending. Buckets of more rows than
  // LargeBucket::giant that are to be split are set aside.
  // Thread-safe for different partitions and workers. `members` may be changed.
  using Visit = BucketSplits::Visit;
  void visit(size_t partition, unsigned worker, const Visit& visit);
  // The same of the buckets that are not to be split; all others are set aside.
  // REQUIRES: the splits were not known before.
  void visit_small(size_t partition, unsigned worker, const Visit& visit);
  // What was set aside since start(), ascending by key.
  std::vector<LargeBucket> take_large();
  // Splits a bucket of the table, and calls visit(members) for the parts. Thread-safe for different
  // buckets and workers.
  void split(LargeBucket& bucket, unsigned worker, const Visit& visit);
  // The same by all threads, not from inside a job: returns the parts, views of the bucket.
  std::vector<std::span<uint32_t>> split(LargeBucket& bucket);

  SplitStats splits() const;

 private:
  struct alignas(worker_alignment) Worker {
    std::vector<ShortKeyId> scratch;
    std::vector<uint32_t> members;
    std::vector<uint32_t> ends;
    std::vector<LargeBucket> large;
    SplitStats splits;
  };
  using VisitBucket = std::function<void(uint32_t key, std::span<uint32_t> members)>;

  void make_keys(uint32_t first, uint32_t count);
  uint64_t key_of(uint32_t table, uint64_t table_key, uint32_t row) const;
  void deal(const uint32_t* keys);
  void for_each_bucket(size_t partition, Worker& worker, const VisitBucket& visit);
  void split(uint32_t key, std::span<uint32_t> members, Worker& worker, const Visit& visit,
             ThreadPool* pool);

  const SignatureRows& rows_;
  const sketch::Tables& tables_;
  BucketSplits& splits_;
  const bool splits_known_;
  ThreadPool& pool_;
  const uint32_t group_;
  unsigned partition_bits_;
  uint32_t table_ = 0;
  BucketSplits::VisitWhole visit_whole_;
  Classes classes_;
  LargeArray<uint32_t> keys_;       // a row of all rows for each table of the group
  LargeArray<ShortKeyId> entries_;  // by partition
  std::vector<size_t> ends_;        // of the partitions
  std::vector<Worker> workers_;
};

}  // namespace kith::similar
