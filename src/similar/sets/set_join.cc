#include "similar/sets/set_join.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "similar/neighbour.h"
#include "similar/sets/set_pairs.h"
#include "similar/tables/block_rows.h"
#include "similar/tables/candidate_search.h"

namespace kith::similar {
namespace {

Result<RowBlocks> cut(size_t n, uint32_t lanes, const Budget& memory) {
  const size_t fitting = rows_within(memory, lanes);
  if (n <= fitting) return RowBlocks{{{0, n}}};
  if (fitting / 2 < min_block_rows(n)) {
    return too_little_memory(memory.bytes(), min_set_join_memory(n, lanes), n, "documents");
  }
  return RowBlocks{cut_rows({0, n}, fitting / 2)};
}

std::vector<uint32_t> ids_of(const SignatureRows& rows, std::span<const uint32_t> members) {
  std::vector<uint32_t> ids;
  ids.reserve(members.size());
  for (const uint32_t row : members) ids.push_back(rows.id(row));
  return ids;
}

}  // namespace

uint32_t min_equal_bytes(const SetJoinOptions& options, uint32_t lanes) {
  return sketch::min_equal(options.similarity, lanes, sketch::plane_bits, options.plane_miss);
}

uint64_t min_set_join_memory(size_t documents, uint32_t lanes) {
  return memory_for_rows(2 * min_block_rows(documents), lanes);
}

Result<SetJoinStats> set_join(const HashSets& sets, std::span<const uint32_t> ids,
                              const sketch::Signatures& signatures, const sketch::Tables& tables,
                              const SetJoinOptions& options, ThreadPool& pool,
                              const SetJoinSinks& sinks,
                              const std::function<void(double share)>& progress) {
  KITH_CHECK(options.largest_bucket >= 2);
  if (ids.empty()) return SetJoinStats();
  KITH_CHECK(signatures.size() == sets.size());
  const uint32_t lanes = tables.params().lanes;
  KITH_ASSIGN(const RowBlocks blocks, cut(ids.size(), lanes, options.memory));
  const PivotRule pivots = sinks.whole_part ? pivot_rule(options.similarity, lanes) : PivotRule();
  SetVerification verification(sets, {options.similarity, options.verify}, sinks, pool);
  BlockJoinSinks found{.candidates = [&](auto& some) { return verification.verify(some); }};
  if (sinks.whole_part) {
    found.whole_part = [&](const auto& of, uint64_t part, auto members) {
      return sinks.whole_part(part, ids_of(of, members));
    };
  }
  const MappedRows rows(signatures, ids);
  BlockJoin join(rows, blocks, tables, BucketSplits(tables, options.largest_bucket, pivots),
                 {min_equal_bytes(options, lanes), verification.max_candidates(options.memory),
                  options.memory.bytes()},
                 std::move(found), pool);
  KITH_ASSIGN(const SearchStats stats, join.run(progress));
  return SetJoinStats{stats.collisions, verification.verified(), verification.similar(),
                      stats.splits, blocks.first.size()};
}

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
    return side_of(row).value(row_in_side(row), lane);
  }
  std::span<const uint16_t> values(size_t row, std::span<uint16_t> buffer) const override {
    return side_of(row).values(row_in_side(row), buffer);
  }
  std::span<const uint16_t> read(size_t row, std::span<uint16_t> buffer) const override {
    return side_of(row).read(row_in_side(row), buffer);
  }
  void prefetch(size_t row) const override { side_of(row).prefetch(row_in_side(row)); }
  void release(size_t begin, size_t end) const override {
    const size_t border = first_.size();
    first_.release(std::min(begin, border), std::min(end, border));
    second_.release(std::max(begin, border) - border, std::max(end, border) - border);
  }

 private:
  const MappedRows& side_of(size_t row) const { return row < first_.size() ? first_ : second_; }
  size_t row_in_side(size_t row) const { return row < first_.size() ? row : row - first_.size(); }

  const MappedRows first_;
  const MappedRows second_;
  const uint32_t offset_;
};

// One join on its way.
class SetCrossJoin {
 public:
  SetCrossJoin(const SetSide& first, const SetSide& second, const SetJoinOptions& options,
               uint32_t lanes, const SetJoinSinks& sinks, ThreadPool& pool)
      : first_(first),
        second_(second),
        options_(options),
        min_equal_(min_equal_bytes(options, lanes)),
        max_candidates_(SetVerification::max_candidates(options.memory)),
        offset_(static_cast<uint32_t>(first.sets.size())),
        pool_(pool),
        placed_(first.sets.size()),
        verification_(first.sets, second.sets, offset_, {options.similarity, options.verify}, sinks,
                      pool) {}

  Result<SetJoinStats> run(const sketch::Tables& tables, const JoinProgress& progress) {
    const RowsOfBoth rows(first_, second_, offset_);
    const RowBlocks blocks = cut(rows.lanes());
    const PivotRule pivots = pivot_rule(options_.similarity, rows.lanes());
    BlockJoin join(
        rows, blocks, tables, BucketSplits(tables, options_.largest_bucket, pivots),
        {min_equal_, max_candidates_, options_.memory.bytes()},
        {.candidates = [&](auto& found) { return verification_.verify(found); },
         .whole_part = [&](auto& of, auto, auto members) { return keep_whole(of, members); },
         .after_table = [&] { return compare_whole(); }},
        pool_);
    KITH_ASSIGN(const SearchStats stats, join.run(progress));
    return SetJoinStats{stats.collisions + compared_, verification_.verified(),
                        verification_.similar(), stats.splits, blocks.rounds()};
  }

 private:
  // Of the second side, in a whole part.
  static constexpr size_t max_compared = 512;

  RowBlocks cut(uint32_t lanes) const {
    // Whatever the memory is; a few rows take none to speak of.
    constexpr size_t min_block = 64;
    const size_t border = first_.ids.size();
    const size_t rows = border + second_.ids.size();
    const size_t fitting = rows_within(options_.memory, lanes);
    const size_t block = rows <= fitting ? rows : std::max(min_block, fitting / 2);
    return {cut_rows({0, border}, block), cut_rows({border, rows}, block)};
  }

  // What is compared of a whole part: ids of both sides, ascending.
  struct WholePart {
    std::vector<uint32_t> first;
    std::vector<uint32_t> second;
  };

  // The documents of the first side in a whole part are compared with some of the second, where
  // they have been in no other whole part with any.
  Status keep_whole(const SignatureRows& rows, std::span<const uint32_t> members) {
    const auto border =
        std::ranges::partition_point(members, [&](uint32_t row) { return rows.id(row) < offset_; });
    const std::span<const uint32_t> theirs(border, members.end());
    if (theirs.empty()) return Status::ok();
    WholePart part;
    for (const uint32_t row : std::span(members.begin(), border)) {
      const uint32_t id = rows.id(row);
      if (placed_[id] != 0) continue;
      placed_[id] = 1;
      part.first.push_back(id);
    }
    if (part.first.empty()) return Status::ok();
    const size_t count = std::min(theirs.size(), max_compared);
    for (size_t i = 0; i < count; ++i) {
      part.second.push_back(rows.id(theirs[i * theirs.size() / count]) - offset_);
    }
    whole_.push_back(std::move(part));
    return Status::ok();
  }

  // What was kept of a table.
  Status compare_whole() {
    for (const WholePart& part : whole_) {
      // All may be candidates.
      const size_t rows = std::max<size_t>(1, max_candidates_ / part.second.size());
      for (size_t begin = 0; begin < part.first.size(); begin += rows) {
        const auto some = std::span(part.first).subspan(begin);
        KITH_TRY(compare_all(some.first(std::min(some.size(), rows)), part.second));
      }
    }
    whole_.clear();
    return Status::ok();
  }

  Status compare_all(std::span<const uint32_t> left, std::span<const uint32_t> right) {
    const RowsOfBoth both({first_.sets, first_.signatures, left},
                          {second_.sets, second_.signatures, right}, offset_);
    const BlockRows rows(both, {0, left.size()}, {left.size(), both.size()}, pool_);
    std::vector<std::vector<ShortKeyId>> candidates(pool_.size());
    const auto low = [&](size_t row) { return std::span(rows.low(row), rows.lanes()); };
    constexpr size_t grain = 64;
    pool_.for_chunks(left.size(), grain, [&](size_t begin, size_t end, unsigned worker) {
      for (size_t i = begin; i < end; ++i) {
        for (size_t j = left.size(); j < rows.size(); ++j) {
          if (sketch::count_equal(low(i), low(j)) < min_equal_) continue;
          candidates[worker].push_back({rows.id(i), rows.id(j)});
        }
      }
    });
    compared_ += uint64_t{left.size()} * right.size();
    return verification_.verify(candidates);
  }

  const SetSide first_;
  const SetSide second_;
  const SetJoinOptions& options_;
  const uint32_t min_equal_;
  const size_t max_candidates_;
  const uint32_t offset_;
  ThreadPool& pool_;
  std::vector<uint8_t> placed_;  // by id of the first side: was in a whole part with the second
  std::vector<WholePart> whole_;
  uint64_t compared_ = 0;  // pairs of whole parts
  SetVerification verification_;
};

}  // namespace

Result<SetJoinStats> set_cross_join(const SetSide& first, const SetSide& second,
                                    const sketch::Tables& tables, const SetJoinOptions& options,
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
  const SetJoinSinks sinks{.candidates = nullptr, .pairs = sink, .whole_part = nullptr};
  return SetCrossJoin(first, second, options, tables.params().lanes, sinks, pool)
      .run(tables, progress);
}

}  // namespace kith::similar
