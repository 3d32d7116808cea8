#include "sets/set_cross_join.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "base/check.h"
#include "parallel/first_error.h"
#include "sets/join_memory.h"
#include "sets/set_verification.h"
#include "tables/bucket_bounds.h"
#include "tables/candidate_search.h"
#include "tables/signature_rows.h"

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
        block_(cut_up_ ? std::max(min_block, memory_.rows / 2)
                       : std::max(first.ids.size(), second.ids.size())),
        pool_(pool),
        sink_(sink),
        masks_(tables),
        splits_(tables, options.largest_bucket,
                pivot_rule(options.similarity, tables.params().lanes)),
        placed_(first.sets.size()),
        verification_(first.sets, second.sets, offset_, {options.similarity, options.verify},
                      pool) {}

  Status run(const std::function<void(double)>& progress) {
    const RowsOfBoth rows(first_, second_, offset_);
    raise_bounds(rows, tables_, splits_, options_.memory, pool_);
    if (cut_up_) {
      found_.splits = find_splits(
          rows, tables_, splits_, options_.memory, pool_,
          [&](uint64_t, auto members) { keep_whole(rows, members); }, [&] { compare_whole(); });
      KITH_TRY(error_.status());
    }
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
  static constexpr size_t min_block = 64;
  // Of the second side, in a whole part.
  static constexpr size_t max_compared = 512;

  size_t blocks(const SetSide& side) const { return (side.ids.size() + block_ - 1) / block_; }
  std::span<const uint32_t> block(const SetSide& side, size_t number) const {
    const size_t begin = number * block_;
    return side.ids.subspan(begin, std::min(block_, side.ids.size() - begin));
  }

  Status join(std::span<const uint32_t> left, std::span<const uint32_t> right,
              const std::function<void(double)>& progress) {
    const internal::BlockRows rows(first_.signatures, left, second_.signatures, right, offset_,
                                   pool_);
    const internal::CandidateRule rule{min_equal_bytes(options_, rows.lanes()),
                                       static_cast<uint32_t>(left.size())};
    internal::CandidateSearch search(rows, tables_, masks_, splits_, cut_up_, rule,
                                     memory_.candidates, pool_);
    search.set_whole([&](uint64_t, auto members) { keep_whole(rows, members); },
                     [&] { compare_whole(); });
    KITH_TRY(search.run([&](auto& candidates) { return verification_.verify(candidates, sink_); },
                        progress));
    KITH_TRY(error_.status());
    found_ += search.stats();
    return Status::ok();
  }

  // What is compared of a whole part: ids of both sides, ascending.
  struct WholePart {
    std::vector<uint32_t> first;
    std::vector<uint32_t> second;
  };

  // A whole part, from any thread. Its documents of the first side are compared with some of the
  // second, where they have been in no other whole part with any.
  void keep_whole(const SignatureRows& rows, std::span<const uint32_t> members) {
    const auto border =
        std::ranges::partition_point(members, [&](uint32_t row) { return rows.id(row) < offset_; });
    const std::span<const uint32_t> theirs(border, members.end());
    if (theirs.empty()) return;
    WholePart part;
    for (const uint32_t row : std::span(members.begin(), border)) {
      const uint32_t id = rows.id(row);
      if (placed_[id] != 0) continue;
      placed_[id] = 1;
      part.first.push_back(id);
    }
    if (part.first.empty()) return;
    const size_t count = std::min(theirs.size(), max_compared);
    for (size_t i = 0; i < count; ++i) {
      part.second.push_back(rows.id(theirs[i * theirs.size() / count]) - offset_);
    }
    const std::lock_guard lock(mutex_);
    whole_.push_back(std::move(part));
  }

  // What was kept of a table.
  void compare_whole() {
    for (const WholePart& part : whole_) {
      // All may be candidates.
      const size_t rows = std::max<size_t>(1, memory_.candidates / part.second.size());
      for (size_t begin = 0; begin < part.first.size() && !error_.failed(); begin += rows) {
        const auto some = std::span(part.first).subspan(begin);
        error_.keep(compare_all(some.first(std::min(some.size(), rows)), part.second));
      }
    }
    whole_.clear();
  }

  Status compare_all(std::span<const uint32_t> left, std::span<const uint32_t> right) {
    const internal::BlockRows rows(first_.signatures, left, second_.signatures, right, offset_,
                                   pool_);
    const uint32_t least = min_equal_bytes(options_, rows.lanes());
    std::vector<std::vector<ShortKeyId>> candidates(pool_.size());
    const auto low = [&](size_t row) { return std::span(rows.low(row), rows.lanes()); };
    constexpr size_t grain = 64;
    pool_.for_chunks(left.size(), grain, [&](size_t begin, size_t end, unsigned worker) {
      for (size_t i = begin; i < end; ++i) {
        for (size_t j = left.size(); j < rows.size(); ++j) {
          if (count_equal(low(i), low(j)) < least) continue;
          candidates[worker].push_back({rows.id(i), rows.id(j)});
        }
      }
    });
    found_.collisions += uint64_t{left.size()} * right.size();
    return verification_.verify(candidates, sink_);
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
  std::vector<uint8_t> placed_;  // by id of the first side: was in a whole part with the second
  std::mutex mutex_;             // of whole_
  std::vector<WholePart> whole_;
  FirstError error_;
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
