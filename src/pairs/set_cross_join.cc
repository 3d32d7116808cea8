#include "pairs/set_cross_join.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/check.h"
#include "pairs/bucket_bounds.h"
#include "pairs/candidate_search.h"
#include "pairs/join_memory.h"
#include "pairs/set_verification.h"
#include "pairs/signature_rows.h"

namespace kith::pairs {
namespace {

// The rows of both sides where they lie in files. Ids of the second are larger by `offset`, so that
// no two rows have the same.
class RowsOfBoth final : public SignatureRows {
 public:
  RowsOfBoth(const SetSide& first, const SetSide& second, uint32_t offset)
      : first_(first.signatures, first.ids),
        second_(second.signatures, second.ids),
        offset_(offset) {}

  size_t size() const override { return first_.size() + second_.size(); }
  uint32_t lanes() const override { return first_.lanes(); }
  uint32_t id(size_t row) const override {
    return row < first_.size() ? first_.id(row) : offset_ + second_.id(row - first_.size());
  }
  uint16_t value(size_t row, uint32_t lane) const override {
    return row < first_.size() ? first_.value(row, lane) : second_.value(row - first_.size(), lane);
  }
  std::span<const uint16_t> values(size_t row, std::span<uint16_t> buffer) const override {
    return row < first_.size() ? first_.values(row, buffer)
                               : second_.values(row - first_.size(), buffer);
  }
  std::span<const uint16_t> read(size_t row, std::span<uint16_t> buffer) const override {
    return row < first_.size() ? first_.read(row, buffer)
                               : second_.read(row - first_.size(), buffer);
  }
  void prefetch(size_t row) const override {
    if (row < first_.size()) {
      first_.prefetch(row);
    } else {
      second_.prefetch(row - first_.size());
    }
  }
  void release(size_t begin, size_t end) const override {
    const size_t border = first_.size();
    first_.release(std::min(begin, border), std::min(end, border));
    second_.release(std::max(begin, border) - border, std::max(end, border) - border);
  }

 private:
  const MappedRows first_;
  const MappedRows second_;
  const uint32_t offset_;
};

class CrossJoin {
 public:
  CrossJoin(const SetSide& first, const SetSide& second, const lsh::Tables& tables,
            const SetJoinOptions& options, ThreadPool& pool, const CrossPairs& sink)
      : first_(first),
        second_(second),
        tables_(tables),
        options_(options),
        memory_(internal::share_out(options.memory, tables.params().lanes)),
        offset_(static_cast<uint32_t>(first.sets.size())),
        cut_up_(first.ids.size() + second.ids.size() > memory_.rows),
        // Two blocks are in memory at a time.
        block_(cut_up_ ? std::max(least_block, memory_.rows / 2)
                       : std::max(first.ids.size(), second.ids.size())),
        pool_(pool),
        sink_(sink),
        masks_(tables),
        splits_(tables, options.largest_bucket),
        verification_(first.sets, second.sets, offset_, {options.similarity, options.verify},
                      pool) {}

  Status run(const std::function<void(double)>& progress) {
    const RowsOfBoth rows(first_, second_, offset_);
    raise_bounds(rows, tables_, splits_, options_.memory, pool_);
    if (cut_up_) found_.splits = find_splits(rows, tables_, splits_, options_.memory, pool_);
    const double rounds = static_cast<double>(blocks(first_) * blocks(second_));
    double round = 0;
    for (size_t i = 0; i < blocks(first_); ++i) {
      for (size_t j = 0; j < blocks(second_); ++j) {
        KITH_TRY(join(block(first_, i), block(second_, j), [&](double share) {
          if (progress) progress((round + share) / rounds);
        }));
        round += 1;
      }
    }
    return Status::ok();
  }

  SetJoinStats stats() const {
    return {found_.collisions, verification_.verified(), verification_.similar(), found_.splits,
            blocks(first_) * blocks(second_)};
  }

 private:
  // Whatever the memory is; a few rows take none to speak of.
  static constexpr size_t least_block = 64;

  size_t blocks(const SetSide& side) const { return (side.ids.size() + block_ - 1) / block_; }
  std::span<const uint32_t> block(const SetSide& side, size_t number) const {
    const size_t begin = number * block_;
    return side.ids.subspan(begin, std::min(block_, side.ids.size() - begin));
  }

  Status join(std::span<const uint32_t> left, std::span<const uint32_t> right,
              const std::function<void(double)>& progress) {
    const internal::BlockRows rows(first_.signatures, left, second_.signatures, right, offset_,
                                   pool_);
    const internal::CandidateRule rule{least_equal_bytes(options_, rows.lanes()),
                                       static_cast<uint32_t>(left.size())};
    internal::CandidateSearch search(rows, tables_, masks_, splits_, cut_up_, rule,
                                     memory_.candidates, pool_);
    KITH_TRY(search.run([&](auto& candidates) { return verification_.verify(candidates, sink_); },
                        progress));
    found_ += search.stats();
    return Status::ok();
  }

  const SetSide first_;
  const SetSide second_;
  const lsh::Tables& tables_;
  const SetJoinOptions& options_;
  const internal::JoinMemory memory_;
  const uint32_t offset_;
  const bool cut_up_;
  const size_t block_;
  ThreadPool& pool_;
  const CrossPairs& sink_;
  const lsh::SubsetMasks masks_;
  BucketSplits splits_;
  internal::SetVerification verification_;
  internal::SearchStats found_;
};

}  // namespace

Result<SetJoinStats> set_cross_join(const SetSide& first, const SetSide& second,
                                    const lsh::Tables& tables, const SetJoinOptions& options,
                                    ThreadPool& pool, const CrossPairs& sink,
                                    const std::function<void(double share)>& progress) {
  KITH_CHECK(options.largest_bucket >= 2);
  if (first.ids.empty() || second.ids.empty()) return SetJoinStats();
  KITH_CHECK(first.signatures.size() == first.sets.size());
  KITH_CHECK(second.signatures.size() == second.sets.size());
  if (first.sets.size() + second.sets.size() > std::numeric_limits<uint32_t>::max()) {
    return Error{ErrorKind::usage,
                 "more than 4,294,967,295 documents in two runs that are compared: give fewer at a "
                 "time"};
  }
  CrossJoin join(first, second, tables, options, pool, sink);
  KITH_TRY(join.run(progress));
  return join.stats();
}

}  // namespace kith::pairs
