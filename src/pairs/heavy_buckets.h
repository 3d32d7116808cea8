// Which buckets of all tables are over the bound, when not all bags are in memory. Internal to
// this folder.
#pragma once

#include <cstdint>
#include <span>

#include "lsh/tables.h"
#include "pairs/bucket_split.h"
#include "pairs/candidate_search.h"
#include "parallel/thread_pool.h"
#include "sketch/signature.h"

namespace kith::pairs::internal {

// Splits all buckets of the ids (ascending) that are over the bound of `splits`, just as
// CandidateSearch does when it sees all ids at once; returns the counts of that. The keys are
// counted by a hash in one pass over the signatures for each group of tables; only the ids whose
// count may be over the bound are looked at in a second one.
// Memory: 1 MiB a thread, and 16 bytes for each id and table of a group where the count is over.
SearchStats split_heavy_buckets(const Signatures& signatures, std::span<const uint32_t> ids,
                                const lsh::Tables& tables, BucketSplits& splits, ThreadPool& pool);

}  // namespace kith::pairs::internal
