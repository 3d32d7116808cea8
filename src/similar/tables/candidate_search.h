// Finds the candidates among the rows of a block, table by table. Internal to this folder.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "kith/status.h"

#include "base/parallel/radix_sort.h"
#include "base/parallel/thread_pool.h"
#include "similar/tables/block_rows.h"
#include "similar/tables/bucket_compare.h"
#include "similar/tables/bucket_scan.h"
#include "similar/tables/bucket_split.h"
#include "sketch/lsh/subset_masks.h"
#include "sketch/lsh/tables.h"

namespace kith::similar {

struct SearchStats {
  uint64_t collisions = 0;  // pairs compared, repeats in later tables included
  uint64_t passed = 0;      // of these, reached the count
  SplitStats splits;

  SearchStats& operator+=(const SearchStats& more);
};

// Table by table, and partition by partition of a table, the buckets are compared while they are
// in cache. A part of more rows than that is compared tile by tile, by all threads.
class CandidateSearch {
 public:
  // Receives pairs of ids (key < id), each once over all calls; may move them away.
  using Take = std::function<Status(std::vector<std::vector<ShortKeyId>>& by_worker)>;

  // splits_known: the splits hold all of all bags, and buckets are not split here; else those over
  // the bound are, and remembered. most: candidates that are held before they are given away; a
  // partition may bring more.
  CandidateSearch(const BlockRows& rows, const sketch::Tables& tables,
                  const sketch::SubsetMasks& masks, BucketSplits& splits, bool splits_known,
                  CandidateRule rule, size_t most, ThreadPool& pool);

  // From now on whole parts that are found are given to `visit`: rows, by several threads at a
  // time.
  void set_whole(BucketSplits::VisitWhole visit) { scan_.set_whole(std::move(visit)); }

  // after_table: called by this thread when the candidates and whole parts of a table were found.
  // An error of it, as one of `take`, ends the search.
  Status run(const Take& take, const std::function<Status()>& after_table,
             const std::function<void(double share)>& progress);
  const SearchStats& stats() const { return stats_; }

  // Memory of a row.
  static size_t bytes_per_row(uint32_t lanes);

 private:
  using Job = std::function<void(size_t number, unsigned worker)>;

  Status compare_table(uint32_t table, const Take& take);
  // Does jobs [0, count), and stops wherever enough candidates are held to give them away.
  Status run_jobs(size_t count, const Job& job, const Take& take);
  Status compare_giant(uint32_t table, LargeBucket& bucket, const Take& take);
  Status compare_large(uint32_t table, std::span<const uint32_t> members, const Take& take);
  // A part: compares it, or sets it aside.
  void add(uint32_t table, std::span<uint32_t> members, unsigned worker);
  Status give(const Take& take);

  const uint32_t tables_;
  const size_t most_;
  const uint32_t border_;  // of two blocks, or 0
  ThreadPool& pool_;
  BucketScan scan_;
  std::vector<BucketComparer> comparers_;                  // by worker
  std::vector<std::vector<std::vector<uint32_t>>> large_;  // by worker: what is set aside
  std::atomic<size_t> held_ = 0;                           // candidates
  SearchStats stats_;
};

}  // namespace kith::similar
