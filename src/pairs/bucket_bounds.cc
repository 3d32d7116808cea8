#include "pairs/bucket_bounds.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "pairs/bucket_scan.h"

namespace kith::pairs {
namespace {

// Of a bucket whose parts are of at most `bound`.
uint64_t comparisons(uint64_t size, uint64_t bound) {
  return size * (std::min(size, bound) - 1) / 2;
}

// The buckets of a table.
struct Sizes {
  uint64_t small = 0;           // comparisons of those within the bound
  std::vector<uint64_t> large;  // members of the others
};

uint64_t comparisons(const Sizes& sizes, uint64_t bound) {
  uint64_t sum = sizes.small;
  for (const uint64_t size : sizes.large) sum += comparisons(size, bound);
  return sum;
}

uint64_t raised(uint64_t bound, const Sizes& sizes, uint64_t granted) {
  if (sizes.large.empty()) return bound;
  const uint64_t enough = std::ranges::max(sizes.large);
  while (bound < enough && comparisons(sizes, 2 * bound) <= granted) bound *= 2;
  return bound;
}

}  // namespace

void raise_bounds(const SignatureRows& rows, const lsh::Tables& tables, BucketSplits& splits,
                  uint64_t memory, ThreadPool& pool) {
  constexpr size_t whole = std::numeric_limits<size_t>::max();
  BucketSplits none(tables, whole);
  const uint32_t group =
      memory == 0 ? BucketScan::most_group : BucketScan::group_within(memory, rows.size());
  BucketScan scan(rows, tables, none, false, pool, group);
  for (uint32_t table = 0; table < tables.params().tables; ++table) {
    const uint64_t bound = splits.largest(table);
    if (rows.size() <= bound) continue;
    scan.start(table);
    std::vector<Sizes> by_worker(pool.size());
    pool.for_chunks(scan.partitions(), 1, [&](size_t partition, size_t, unsigned worker) {
      Sizes& sizes = by_worker[worker];
      scan.visit(partition, worker, [&](std::span<uint32_t> members) {
        if (members.size() <= bound) {
          sizes.small += comparisons(members.size(), bound);
        } else {
          sizes.large.push_back(members.size());
        }
      });
    });
    Sizes all;
    for (const Sizes& sizes : by_worker) {
      all.small += sizes.small;
      all.large.insert(all.large.end(), sizes.large.begin(), sizes.large.end());
    }
    splits.set_largest(table, raised(bound, all, comparisons(rows.size(), bound)));
  }
}

}  // namespace kith::pairs
