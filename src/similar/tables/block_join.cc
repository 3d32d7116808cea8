#include "similar/tables/block_join.h"

#include <algorithm>

#include "similar/tables/bucket_bounds.h"
#include "similar/tables/bucket_scan.h"

namespace kith::similar {

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
