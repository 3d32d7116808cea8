#include "similar/tables/candidate_search.h"

#include <algorithm>

#include "similar/tables/bucket_scan.h"

namespace kith::similar {
namespace {

// Rows of a part that are compared by one job, with themselves or with as many others.
constexpr size_t tile_rows = 512;
// A part of more rows is compared tile by tile.
constexpr size_t max_rows = 4 * tile_rows;

std::span<const uint32_t> tile_of(std::span<const uint32_t> members, size_t number) {
  const size_t begin = number * tile_rows;
  return members.subspan(begin, std::min(tile_rows, members.size() - begin));
}

size_t tiles_of(std::span<const uint32_t> members) {
  return (members.size() + tile_rows - 1) / tile_rows;
}

}  // namespace

SearchStats& SearchStats::operator+=(const SearchStats& more) {
  collisions += more.collisions;
  passed += more.passed;
  splits += more.splits;
  return *this;
}

size_t CandidateSearch::bytes_per_row(uint32_t lanes) {
  return 2 * lanes + BucketScan::bytes_per_row() + 2 * sizeof(uint32_t);
}

CandidateSearch::CandidateSearch(const BlockRows& rows, const sketch::Tables& tables,
                                 const sketch::SubsetMasks& masks, BucketSplits& splits,
                                 bool splits_known, CandidateRule rule, size_t most,
                                 ThreadPool& pool)
    : tables_(tables.params().tables),
      most_(most),
      border_(rule.border),
      pool_(pool),
      scan_(rows, tables, splits, splits_known, pool),
      large_(pool.size()) {
  comparers_.reserve(pool.size());
  for (unsigned worker = 0; worker < pool.size(); ++worker) {
    comparers_.emplace_back(rows, tables, masks, splits, splits_known, rule);
  }
}

Status CandidateSearch::run(const Take& take, const std::function<Status()>& after_table,
                            const std::function<void(double share)>& progress) {
  for (uint32_t table = 0; table < tables_; ++table) {
    scan_.start(table);
    KITH_TRY(compare_table(table, take));
    KITH_TRY(after_table());
    if (progress) progress((table + 1.0) / tables_);
  }
  for (const BucketComparer& comparer : comparers_) {
    stats_ += {.collisions = comparer.compared(), .passed = comparer.passed(), .splits = {}};
  }
  stats_.splits += scan_.splits();
  return give(take);
}

Status CandidateSearch::compare_table(uint32_t table, const Take& take) {
  const auto compare_partition = [&](size_t partition, unsigned worker) {
    scan_.visit(partition, worker, [&](std::span<uint32_t> part) { add(table, part, worker); });
  };
  KITH_TRY(run_jobs(scan_.partitions(), compare_partition, take));
  for (LargeBucket& bucket : scan_.take_large()) KITH_TRY(compare_giant(table, bucket, take));
  for (std::vector<std::vector<uint32_t>>& of_worker : large_) {
    for (const std::vector<uint32_t>& part : of_worker) KITH_TRY(compare_large(table, part, take));
    of_worker.clear();
  }
  return Status::ok();
}

Status CandidateSearch::run_jobs(size_t count, const Job& job, const Take& take) {
  std::atomic<size_t> next = 0;
  while (next < count) {
    // What is handed out once enough is held is left for the next turn.
    pool_.for_chunks(count - next, 1, [&](size_t, size_t, unsigned worker) {
      if (held_ >= most_) return;
      const size_t number = next++;
      BucketComparer& comparer = comparers_[worker];
      const size_t before = comparer.candidates().size();
      job(number, worker);
      comparer.finish();
      held_ += comparer.candidates().size() - before;
    });
    if (held_ >= most_) KITH_TRY(give(take));
  }
  return Status::ok();
}

void CandidateSearch::add(uint32_t table, std::span<uint32_t> members, unsigned worker) {
  // What was split just now is out of order.
  if (border_ > 0) std::ranges::sort(members);
  if (members.size() > max_rows) {
    large_[worker].emplace_back(members.begin(), members.end());
  } else {
    comparers_[worker].add(table, members);
  }
}

Status CandidateSearch::compare_giant(uint32_t table, LargeBucket& bucket, const Take& take) {
  const std::vector<std::span<uint32_t>> parts = scan_.split(bucket);
  return run_jobs(
      parts.size(), [&](size_t i, unsigned worker) { add(table, parts[i], worker); }, take);
}

Status CandidateSearch::compare_large(uint32_t table, std::span<const uint32_t> members,
                                      const Take& take) {
  const auto border =
      static_cast<size_t>(std::ranges::lower_bound(members, border_) - members.begin());
  const std::span<const uint32_t> left = border_ > 0 ? members.first(border) : members;
  const std::span<const uint32_t> right = members.subspan(border_ > 0 ? border : 0);
  for (size_t i = 0; i < tiles_of(left); ++i) {
    const size_t first = border_ > 0 ? 0 : i;
    const auto compare_tiles = [&](size_t job, unsigned worker) {
      const size_t j = first + job;
      if (border_ == 0 && i == j) {
        comparers_[worker].add(table, tile_of(left, i));
      } else {
        comparers_[worker].compare(table, tile_of(left, i), tile_of(right, j));
      }
    };
    KITH_TRY(run_jobs(tiles_of(right) - first, compare_tiles, take));
  }
  return Status::ok();
}

Status CandidateSearch::give(const Take& take) {
  std::vector<std::vector<ShortKeyId>> candidates;
  for (BucketComparer& comparer : comparers_) {
    candidates.push_back(std::move(comparer.candidates()));
    comparer.candidates().clear();
  }
  held_ = 0;
  return take(candidates);
}

std::vector<RowRange> cut_rows(RowRange rows, size_t block_rows) {
  std::vector<RowRange> blocks;
  for (size_t begin = rows.begin; begin < rows.end; begin += block_rows) {
    blocks.push_back({begin, std::min(rows.end, begin + block_rows)});
  }
  return blocks;
}

Result<SearchStats> BlockJoin::run(const JoinProgress& progress) {
  raise_bounds(rows_, tables_, splits_, options_.memory, pool_);
  if (blocks_.are_several()) KITH_TRY(split_buckets());
  const bool across = !blocks_.second.empty();
  const std::vector<RowRange>& others = across ? blocks_.second : blocks_.first;
  const auto rounds = static_cast<double>(blocks_.rounds());
  double round = 0;
  for (size_t i = 0; i < blocks_.first.size(); ++i) {
    for (size_t j = across ? 0 : i; j < others.size(); ++j) {
      if (sinks_.open) KITH_TRY(sinks_.open(i, j));
      if (blocks_.first[i].size() > 0 && others[j].size() > 0) {
        const RowRange second = !across && i == j ? RowRange() : others[j];
        KITH_TRY(join(blocks_.first[i], second, [&](double share) {
          if (progress) progress((round + share) / rounds);
        }));
      }
      if (sinks_.close) KITH_TRY(sinks_.close(i, j));
      round += 1;
    }
  }
  return stats_;
}

Status BlockJoin::split_buckets() {
  const uint32_t group = BucketScan::group_within(options_.memory, rows_.size());
  BucketScan scan(rows_, tables_, splits_, false, pool_, group);
  scan.set_whole(visit_whole(rows_));
  for (uint32_t table = 0; table < tables_.params().tables; ++table) {
    scan.start(table);
    pool_.for_chunks(scan.partitions(), 1, [&](size_t partition, size_t, unsigned worker) {
      scan.visit(partition, worker, [](std::span<uint32_t>) {});
    });
    for (LargeBucket& bucket : scan.take_large()) scan.split(bucket);
    KITH_TRY(after_table());
  }
  stats_.splits = scan.splits();
  return Status::ok();
}

Status BlockJoin::join(RowRange first, RowRange second, const JoinProgress& progress) {
  const BlockRows rows(rows_, first, second, pool_);
  const CandidateRule rule{options_.min_equal,
                           second.size() > 0 ? static_cast<uint32_t>(first.size()) : 0};
  CandidateSearch search(rows, tables_, masks_, splits_, blocks_.are_several(), rule,
                         options_.candidates, pool_);
  search.set_whole(visit_whole(rows));
  KITH_TRY(search.run(
      sinks_.candidates, [&] { return after_table(); }, progress));
  stats_ += search.stats();
  return Status::ok();
}

BucketSplits::VisitWhole BlockJoin::visit_whole(const SignatureRows& rows) {
  if (!sinks_.whole_part) return nullptr;
  return [&](uint64_t part, std::span<const uint32_t> members) {
    const std::lock_guard lock(mutex_);
    if (!error_.failed()) error_.keep(sinks_.whole_part(rows, part, members));
  };
}

Status BlockJoin::after_table() {
  KITH_TRY(error_.status());
  return sinks_.after_table ? sinks_.after_table() : Status::ok();
}

}  // namespace kith::similar
