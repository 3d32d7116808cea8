// How large a bucket may be before it is split, where what comparing costs allows more than the
// least (docs/algorithms/near-duplicates.md, "Large buckets").
#pragma once

#include <cstdint>

#include "lsh/tables.h"
#include "pairs/bucket_split.h"
#include "pairs/signature_rows.h"
#include "parallel/thread_pool.h"

namespace kith::pairs {

// Raises the bound of every table that no bucket was split of: it is doubled for as long as the
// buckets of these rows take no more comparisons than buckets of the old bound would, if every row
// were in one. So a few large buckets among many small ones are not split and lose no pair, and the
// worst case stays what it was. The same for any number of threads and any memory.
// memory: bytes it may take (BucketScan::bytes_a_row(), at least those of one table); 0: any.
void raise_bounds(const SignatureRows& rows, const lsh::Tables& tables, BucketSplits& splits,
                  uint64_t memory, ThreadPool& pool);

}  // namespace kith::pairs
