// How large a bucket may be before it is split, where what comparing costs allows more than the
// least (docs/algorithms/near-duplicates.md, "Large buckets").
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "similar/tables/bucket_split.h"
#include "similar/tables/signature_rows.h"
#include "sketch/lsh/tables.h"

namespace kith::similar {

// The buckets of a table of some bound.
struct alignas(worker_alignment) BucketSizes {
  uint64_t small = 0;           // comparisons of those within the bound
  std::vector<uint64_t> large;  // members of the others

  void add(uint64_t members, uint64_t bound);
  BucketSizes& operator+=(const BucketSizes& more);
};

// The bound, doubled for as long as the buckets take no more than half the comparisons that buckets
// of the old bound would, if every row were in one. So a few large buckets among many small ones
// are not split and lose no pair, and the worst case stays what it was.
uint64_t raised_bound(uint64_t bound, const BucketSizes& sizes, size_t rows);

// Raises the bound of every table, none of which may have a split bucket. The same for any number
// of threads and any memory, of which it takes BucketScan::bytes_per_row(), as far as `memory`
// bytes allow; 0: any.
void raise_bounds(const SignatureRows& rows, const sketch::Tables& tables, BucketSplits& splits,
                  uint64_t memory, ThreadPool& pool);

}  // namespace kith::similar
