// Which tables `kith dedup` joins by: the cheapest that keep the promised recall
// (docs/algorithms/near-duplicates.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kith/dedup.h"
#include "kith/status.h"

#include "lsh/tables.h"
#include "parallel/thread_pool.h"
#include "sketch/signature.h"

namespace kith::pipeline {

struct DedupPlan {
  lsh::TableParams tables;
  std::vector<DedupTables> considered;  // by k
};

// An error (usage) when no tables reach the recall at the similarity. REQUIRES: similarity < 1.
Status check_tables(const DedupOptions& options);

// `ids`: the documents that are joined. Their similarities are estimated from the signatures of a
// sample. Error (usage) when no tables reach the recall. Deterministic.
// REQUIRES: options.similarity < 1.
Result<DedupPlan> plan_tables(const Signatures& signatures, std::span<const uint32_t> ids,
                              const DedupOptions& options, ThreadPool& pool);

}  // namespace kith::pipeline
