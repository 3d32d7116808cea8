// Finds the candidates among the rows of a block, table by table. Internal to this folder.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "kith/status.h"

#include "base/large_array.h"
#include "lsh/subset_masks.h"
#include "lsh/tables.h"
#include "pairs/block_rows.h"
#include "pairs/bucket_compare.h"
#include "pairs/bucket_split.h"
#include "parallel/radix_sort.h"
#include "parallel/thread_pool.h"

namespace kith::pairs::internal {

struct SearchStats {
  uint64_t collisions = 0;     // pairs compared, repeats in later tables included
  uint64_t passed = 0;         // of these, reached the count
  uint64_t split_buckets = 0;  // over the bound, over all tables
  uint64_t split_members = 0;  // ids in them
  uint64_t largest_split = 0;  // members of the largest of these

  SearchStats& operator+=(const SearchStats& more);
};

// The keys of a group of tables are computed in one pass over the rows. Table by table, the rows
// are dealt to partitions by the first bits of their keys; a partition fits the cache, where it is
// sorted and its buckets are compared at once.
class CandidateSearch {
 public:
  // Receives pairs of ids (key < id), each once over all calls; may move them away.
  using Take = std::function<Status(std::vector<std::vector<ShortKeyId>>& by_worker)>;

  // splits_known: the splits hold all of all bags, and buckets are not split here; else those over
  // the bound are, and remembered. most: candidates that are held before they are given away; a
  // partition may bring more.
  CandidateSearch(const BlockRows& rows, const lsh::Tables& tables, const lsh::SubsetMasks& masks,
                  BucketSplits& splits, bool splits_known, CandidateRule rule, size_t most,
                  ThreadPool& pool);

  Status run(const Take& take, const std::function<void(double share)>& progress);
  const SearchStats& stats() const { return stats_; }

  // Memory of a row.
  static size_t bytes_a_row(uint32_t lanes);

 private:
  struct Worker {
    BucketComparer comparer;
    SearchStats stats;
    std::vector<ShortKeyId> scratch;
    std::vector<uint32_t> members;
    std::vector<uint32_t> ends;
  };

  void make_keys(uint32_t first, uint32_t count);
  void deal(uint32_t table_in_group);
  Status compare_partitions(uint32_t table, const Take& take);
  void compare_partition(uint32_t table, size_t partition, Worker& worker);
  Status give(const Take& take);

  const BlockRows& rows_;
  const lsh::Tables& tables_;
  BucketSplits& splits_;
  const bool splits_known_;
  const size_t most_;
  ThreadPool& pool_;
  unsigned partition_bits_;
  LargeArray<uint32_t> keys_;       // a row of all rows for each table of the group
  LargeArray<ShortKeyId> entries_;  // by partition
  std::vector<size_t> ends_;        // of the partitions
  std::vector<uint8_t> done_;       // partitions
  std::vector<Worker> workers_;
  std::atomic<size_t> held_ = 0;  // candidates
  SearchStats stats_;
};

}  // namespace kith::pairs::internal
