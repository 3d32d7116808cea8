#include "pairs/candidate_search.h"

#include <algorithm>

namespace kith::pairs::internal {

SearchStats& SearchStats::operator+=(const SearchStats& more) {
  collisions += more.collisions;
  passed += more.passed;
  splits += more.splits;
  return *this;
}

size_t CandidateSearch::bytes_a_row(uint32_t lanes) {
  return 2 * lanes + BucketScan::bytes_a_row() + sizeof(uint32_t);
}

CandidateSearch::CandidateSearch(const BlockRows& rows, const lsh::Tables& tables,
                                 const lsh::SubsetMasks& masks, BucketSplits& splits,
                                 bool splits_known, CandidateRule rule, size_t most,
                                 ThreadPool& pool)
    : tables_(tables.params().tables),
      most_(most),
      across_(rule.border > 0),
      pool_(pool),
      scan_(rows, tables, splits, splits_known, pool) {
  comparers_.reserve(pool.size());
  for (unsigned worker = 0; worker < pool.size(); ++worker) {
    comparers_.emplace_back(rows, tables, masks, splits, splits_known, rule);
  }
}

Status CandidateSearch::run(const Take& take, const std::function<void(double share)>& progress) {
  for (uint32_t table = 0; table < tables_; ++table) {
    scan_.start(table);
    KITH_TRY(compare_partitions(table, take));
    if (progress) progress((table + 1.0) / tables_);
  }
  for (const BucketComparer& comparer : comparers_) {
    stats_ += {.collisions = comparer.compared(), .passed = comparer.passed(), .splits = {}};
  }
  stats_.splits += scan_.splits();
  return give(take);
}

// Stops where enough candidates are held, gives them away and goes on.
Status CandidateSearch::compare_partitions(uint32_t table, const Take& take) {
  done_.assign(scan_.partitions(), 0);
  for (bool all = false; !all;) {
    pool_.for_chunks(scan_.partitions(), 1, [&](size_t partition, size_t, unsigned worker) {
      if (done_[partition] || held_ >= most_) return;
      BucketComparer& comparer = comparers_[worker];
      const size_t before = comparer.candidates().size();
      scan_.visit(partition, worker, [&](std::span<uint32_t> members) {
        // What was split just now is out of order.
        if (across_) std::ranges::sort(members);
        comparer.add(table, members);
      });
      comparer.finish();
      held_ += comparer.candidates().size() - before;
      done_[partition] = 1;
    });
    all = std::ranges::all_of(done_, [](uint8_t done) { return done != 0; });
    if (held_ >= most_) KITH_TRY(give(take));
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

}  // namespace kith::pairs::internal
