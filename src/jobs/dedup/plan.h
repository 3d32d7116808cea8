// Which tables `kith dedup` joins by: the cheapest that keep the promised recall
// (docs/algorithms/near-duplicates.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kith/dedup.h"
#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "sketch/lsh/tables.h"
#include "sketch/signature.h"

namespace kith::jobs {

struct DedupPlan {
  sketch::TableParams tables;
  std::vector<DedupTables> considered;  // by k
};

// An error (usage) when no tables reach the recall at the similarity. REQUIRES: similarity < 1.
Status check_tables(const DuplicateOptions& options);

// The tables of a plan.
sketch::TableParams table_params(uint32_t per_key, uint32_t tables, const DedupOptions& options);

// The documents that the choice of tables looks at, as numbers among those that are joined.
struct SamplePlaces {
  std::vector<uint64_t> queries;  // at random; one may stand here twice
  std::vector<uint64_t> others;   // evenly over all, ascending
};
SamplePlaces sample_places(uint64_t documents, const DedupOptions& options);

// The signatures of these documents.
struct SampleRows {
  std::vector<uint16_t> queries;  // side by side
  // Those of others[begin, end).
  std::function<std::vector<uint16_t>(size_t begin, size_t end)> others;
};

// Of so many documents, by a sample of them. Errors as below.
Result<DedupPlan> plan_tables(uint64_t documents, const SamplePlaces& places,
                              const SampleRows& rows, const DedupOptions& options,
                              ThreadPool& pool);

// `ids`: the documents that are joined. Their similarities are estimated from the signatures of a
// sample. Error (usage) when no tables reach the recall. Deterministic.
// REQUIRES: options.similarity < 1.
Result<DedupPlan> plan_tables(const sketch::Signatures& signatures, std::span<const uint32_t> ids,
                              const DedupOptions& options, ThreadPool& pool);

}  // namespace kith::jobs
