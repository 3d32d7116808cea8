#include "similar/tables/bucket_bounds.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "similar/tables/bucket_scan.h"

namespace kith::similar {
namespace {

// Of a bucket whose parts are of at most `bound`.
uint64_t comparisons(uint64_t size, uint64_t bound) {
  return size * (std::min(size, bound) - 1) / 2;
}

uint64_t comparisons(const BucketSizes& sizes, uint64_t bound) {
  uint64_t sum = sizes.small;
  for (const uint64_t members : sizes.large) sum += comparisons(members, bound);
  return sum;
}

}  // namespace

void BucketSizes::add(uint64_t members, uint64_t bound) {
  if (members <= bound) {
    small += comparisons(members, bound);
  } else {
    large.push_back(members);
  }
}

BucketSizes& BucketSizes::operator+=(const BucketSizes& more) {
  small += more.small;
  large.insert(large.end(), more.large.begin(), more.large.end());
  return *this;
}

uint64_t raised_bound(uint64_t bound, const BucketSizes& sizes, size_t rows) {
  if (sizes.large.empty()) return bound;
  const uint64_t granted = comparisons(rows, bound) / 2;
  const uint64_t enough = std::ranges::max(sizes.large);
  while (bound < enough && comparisons(sizes, 2 * bound) <= granted) bound *= 2;
  return bound;
}

void raise_bounds(const SignatureRows& rows, const sketch::Tables& tables, BucketSplits& splits,
                  uint64_t memory, ThreadPool& pool) {
  constexpr size_t whole = std::numeric_limits<size_t>::max();
  BucketSplits none(tables, whole);
  const uint32_t group =
      memory == 0 ? BucketScan::max_group : BucketScan::group_within(memory, rows.size());
  BucketScan scan(rows, tables, none, false, pool, group);
  for (uint32_t table = 0; table < tables.params().tables; ++table) {
    const uint64_t bound = splits.largest(table);
    if (rows.size() <= bound) continue;
    scan.start(table);
    std::vector<BucketSizes> by_worker(pool.size());
    pool.for_chunks(scan.partitions(), 1, [&](size_t partition, size_t, unsigned worker) {
      scan.visit(partition, worker, [&](std::span<uint32_t> members) {
        by_worker[worker].add(members.size(), bound);
      });
    });
    BucketSizes all;
    for (const BucketSizes& sizes : by_worker) all += sizes;
    splits.set_largest(table, raised_bound(bound, all, rows.size()));
  }
}

}  // namespace kith::similar
