// A join by LSH tables whose rows may be too many for the memory: what joins of bags and of sets
// have in common. Internal to the joins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "kith/status.h"

#include "base/parallel/first_error.h"
#include "base/parallel/thread_pool.h"
#include "similar/pair_sink.h"
#include "similar/tables/block_rows.h"
#include "similar/tables/bucket_split.h"
#include "similar/tables/candidate_search.h"
#include "similar/tables/signature_rows.h"
#include "sketch/lsh/subset_masks.h"
#include "sketch/lsh/tables.h"

namespace kith::similar {

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
  uint32_t min_equal = 0;  // low bytes that agree in a candidate
  size_t candidates = 0;   // held at a time
  uint64_t memory = 0;  // for the keys of tables, before blocks are joined; 0: whatever they take
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
