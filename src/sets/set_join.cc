#include "sets/set_join.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/check.h"
#include "pairs/too_little_memory.h"
#include "parallel/first_error.h"
#include "sets/join_memory.h"
#include "sets/set_verification.h"
#include "tables/bucket_bounds.h"
#include "tables/candidate_search.h"
#include "tables/signature_rows.h"

namespace kith::pairs {
namespace {

constexpr uint32_t plane_bits = 8;

// How the ids are cut to fit the memory.
struct Blocks {
  size_t count = 1;
  size_t ids = 1;  // in each but the last
  internal::JoinMemory memory = {};
};

// Of ids, at the least, in a block; there are two in memory at a time.
size_t min_ids(size_t n) {
  constexpr size_t max_blocks = 64;
  return (n + max_blocks - 1) / max_blocks;
}

Result<Blocks> cut(size_t n, uint32_t lanes, uint64_t memory) {
  Blocks blocks;
  blocks.ids = std::max<size_t>(n, 1);
  blocks.memory = internal::share_out(memory, lanes);
  if (n <= blocks.memory.rows) return blocks;
  blocks.ids = blocks.memory.rows / 2;
  if (blocks.ids < min_ids(n)) {
    return too_little_memory(memory, min_set_join_memory(n, lanes), n, "documents");
  }
  blocks.count = (n + blocks.ids - 1) / blocks.ids;
  return blocks;
}

class Join {
 public:
  Join(const HashSets& sets, std::span<const uint32_t> ids, const Signatures& signatures,
       const lsh::Tables& tables, const SetJoinOptions& options, Blocks blocks, ThreadPool& pool,
       const SetJoinSinks& sinks)
      : ids_(ids),
        signatures_(signatures),
        tables_(tables),
        options_(options),
        blocks_(blocks),
        pool_(pool),
        sinks_(sinks),
        masks_(tables),
        splits_(
            tables, options.largest_bucket,
            sinks.whole_part ? pivot_rule(options.similarity, tables.params().lanes) : PivotRule()),
        verification_(sets, {options.similarity, options.verify}, pool) {}

  Status run(const std::function<void(double)>& progress) {
    const MappedRows rows(signatures_, ids_);
    raise_bounds(rows, tables_, splits_, options_.memory, pool_);
    const bool cut_up = blocks_.count > 1;
    if (cut_up) {
      found_.splits =
          find_splits(rows, tables_, splits_, options_.memory, pool_, [&](auto part, auto members) {
            if (sinks_.whole_part) give_whole(rows, part, members);
          });
      KITH_TRY(error_.status());
    }
    const double rounds = static_cast<double>(blocks_.count * (blocks_.count + 1)) / 2;
    double round = 0;
    for (size_t i = 0; i < blocks_.count; ++i) {
      for (size_t j = i; j < blocks_.count; ++j) {
        KITH_TRY(join(i, j, [&](double share) {
          if (progress) progress((round + share) / rounds);
        }));
        round += 1;
      }
    }
    return Status::ok();
  }

  SetJoinStats stats() const {
    return {found_.collisions, verification_.verified(), verification_.similar(), found_.splits,
            blocks_.count};
  }

 private:
  std::span<const uint32_t> ids_of(size_t block) const {
    const size_t begin = std::min(ids_.size(), block * blocks_.ids);
    return ids_.subspan(begin, std::min(blocks_.ids, ids_.size() - begin));
  }

  // A whole part, from any thread.
  void give_whole(const SignatureRows& rows, uint64_t part, std::span<const uint32_t> members) {
    std::vector<uint32_t> ids;
    ids.reserve(members.size());
    for (const uint32_t row : members) ids.push_back(rows.id(row));
    const std::lock_guard lock(mutex_);
    if (!error_.failed()) error_.keep(sinks_.whole_part(part, ids));
  }

  // Compares block i with block j >= i.
  Status join(size_t i, size_t j, const std::function<void(double)>& progress) {
    const std::span<const uint32_t> left = ids_of(i);
    const std::span<const uint32_t> right = ids_of(j);
    if (left.empty() || right.empty()) return Status::ok();
    const internal::BlockRows rows(signatures_, internal::joined_ids(left, right, j > i), pool_);
    const internal::CandidateRule rule{min_equal_bytes(options_, rows.lanes()),
                                       j > i ? static_cast<uint32_t>(left.size()) : 0};
    internal::CandidateSearch search(rows, tables_, masks_, splits_, blocks_.count > 1, rule,
                                     blocks_.memory.candidates, pool_);
    const auto verify = [&](std::vector<std::vector<ShortKeyId>>& candidates) {
      if (sinks_.candidates) {
        for (const auto& some : candidates) sinks_.candidates(some);
      }
      return verification_.verify(candidates, sinks_.pairs);
    };
    if (sinks_.whole_part) {
      search.set_whole([&](auto part, auto members) { give_whole(rows, part, members); });
    }
    KITH_TRY(search.run(verify, progress));
    KITH_TRY(error_.status());
    found_ += search.stats();
    return Status::ok();
  }

  const std::span<const uint32_t> ids_;
  const Signatures& signatures_;
  const lsh::Tables& tables_;
  const SetJoinOptions& options_;
  const Blocks blocks_;
  ThreadPool& pool_;
  const SetJoinSinks& sinks_;
  const lsh::SubsetMasks masks_;
  BucketSplits splits_;
  internal::SetVerification verification_;
  internal::SearchStats found_;
  std::mutex mutex_;  // of the sink for whole parts
  FirstError error_;
};

}  // namespace

uint32_t min_equal_bytes(const SetJoinOptions& options, uint32_t lanes) {
  return min_equal(options.similarity, lanes, plane_bits, options.plane_miss);
}

uint64_t min_set_join_memory(size_t documents, uint32_t lanes) {
  return internal::memory_for_rows(2 * min_ids(documents), lanes);
}

Result<SetJoinStats> set_join(const HashSets& sets, std::span<const uint32_t> ids,
                              const Signatures& signatures, const lsh::Tables& tables,
                              const SetJoinOptions& options, ThreadPool& pool,
                              const SetJoinSinks& sinks,
                              const std::function<void(double share)>& progress) {
  KITH_CHECK(options.largest_bucket >= 2);
  if (ids.empty()) return SetJoinStats();
  KITH_CHECK(signatures.size() == sets.size());
  KITH_ASSIGN(const Blocks blocks, cut(ids.size(), tables.params().lanes, options.memory));
  Join join(sets, ids, signatures, tables, options, blocks, pool, sinks);
  KITH_TRY(join.run(progress));
  return join.stats();
}

}  // namespace kith::pairs
