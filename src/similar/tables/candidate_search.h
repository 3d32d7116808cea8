// Candidates among rows, table by table, and block by block where rows do not fit the memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "kith/status.h"

#include "base/parallel/radix_sort.h"
#include "base/parallel/thread_pool.h"
#include "similar/neighbour.h"
#include "similar/tables/block_rows.h"
#include "similar/tables/bucket_scan.h"
#include "similar/tables/bucket_split.h"
#include "similar/tables/verification.h"
#include "sketch/lsh/tables.h"

namespace kith::similar {

// Finds the candidates among the rows of a block, table by table. Internal to the joins.
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

// A join by LSH tables whose rows may be too many for the memory: what joins of bags and of sets
// have in common. Internal to the joins.

// How rows are cut to fit the memory, in which two blocks lie at a time.
struct RowBlocks {
  // Each of the first is joined with each of the second, or, where there are none of these, with
  // itself and with each later one.
  std::vector<RowRange> first;
  std::vector<RowRange> second = {};

  bool are_several() const { return first.size() > 1 || second.size() > 1; }
  uint64_t rounds() const {
    const uint64_t n = first.size();
    return second.empty() ? n * (n + 1) / 2 : n * second.size();
  }
};

// The rows in blocks of so many, > 0, the last of fewer.
std::vector<RowRange> cut_rows(RowRange rows, size_t block_rows);

// Of n rows that are joined with themselves, the fewest in a block: there are 64 blocks at the
// most.
inline size_t min_block_rows(size_t n) {
  constexpr size_t max_blocks = 64;
  return (n + max_blocks - 1) / max_blocks;
}

struct BlockJoinOptions {
  uint32_t min_equal = 0;        // low bytes that agree in a candidate
  size_t candidates = 0;         // held at a time
  uint64_t memory = UINT64_MAX;  // bytes for the keys of tables, before blocks are joined
};

// Where a join leaves what it finds, from one thread at a time. An error ends the join. All but
// the first may be null.
struct BlockJoinSinks {
  // Receives pairs of ids (key < id), not from inside a job; may move them away. What meets in
  // several tables comes once.
  CandidateSearch::Take candidates;
  // Receives a whole part (bucket_split.h) by its name, as members of `rows`; from inside jobs.
  std::function<Status(const SignatureRows& rows, uint64_t part, std::span<const uint32_t> members)>
      whole_part = nullptr;
  // The whole parts of a table were given. Not from inside a job.
  std::function<Status()> after_table = nullptr;
  // Blocks, by number, are joined next, and have been.
  std::function<Status(size_t first, size_t second)> open = nullptr;
  std::function<Status(size_t first, size_t second)> close = nullptr;
};

// Raises the bounds of buckets, splits those of all rows where there are several blocks, which do
// not tell how, and then looks for candidates in two blocks after the other.
class BlockJoin {
 public:
  // `splits`: without any as yet. The rows and tables must outlive this object.
  BlockJoin(const SignatureRows& rows, RowBlocks blocks, const sketch::Tables& tables,
            BucketSplits splits, const BlockJoinOptions& options, BlockJoinSinks sinks,
            ThreadPool& pool)
      : rows_(rows),
        blocks_(std::move(blocks)),
        tables_(tables),
        options_(options),
        sinks_(std::move(sinks)),
        pool_(pool),
        masks_(tables),
        splits_(std::move(splits)) {}

  // To be called once. Finds the same for any number of threads and any blocks. progress: may be
  // null.
  Result<SearchStats> run(const JoinProgress& progress);

 private:
  Status split_buckets();
  Status join(RowRange first, RowRange second, const JoinProgress& progress);
  BucketSplits::VisitWhole visit_whole(const SignatureRows& rows);
  Status after_table();

  const SignatureRows& rows_;
  const RowBlocks blocks_;
  const sketch::Tables& tables_;
  const BlockJoinOptions options_;
  const BlockJoinSinks sinks_;
  ThreadPool& pool_;
  const sketch::SubsetMasks masks_;
  BucketSplits splits_;
  std::mutex mutex_;  // of the sink for whole parts
  FirstError error_;  // of that sink
  SearchStats stats_;
};

}  // namespace kith::similar
