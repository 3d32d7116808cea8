// The methods of `kith dedup`: which sketch, which join and which tables
// (docs/algorithms/near-duplicates.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kith/dedup.h"
#include "kith/progress.h"
#include "kith/status.h"

#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/match.h"
#include "similar/sets/set_pairs.h"
#include "sketch/lsh/tables.h"
#include "sketch/signature.h"

namespace kith::jobs {

// Which super-shingles `kith dedup` joins by (docs/algorithms/near-duplicates.md).

// For every number of minima the fewest super-shingles of which two must be equal, as with Broder
// (2000), that reach options.recall at the similarity and fit options.lanes; by minima, ascending.
// Chosen is what brings the fewest false positives, by kith::plan_all_super_shingles(). Error
// (usage) when none reaches the recall. REQUIRES: options.similarity < 1.
Result<std::vector<DedupSuperShingles>> plan_super_shingles(const DuplicateOptions& options);

// The chosen one. REQUIRES: made by plan_super_shingles().
const DedupSuperShingles& chosen_of(const std::vector<DedupSuperShingles>& considered);

// How each method of `kith dedup` finds the pairs of different documents
// (docs/algorithms/near-duplicates.md).

// What makes two documents a pair.
similar::PairRule pair_rule(const DedupOptions& options);
// Whether documents of other titles are kept apart where titles are known: not where only equal
// ones are looked for.
bool tells_titles_apart(const DedupOptions& options);
// A hash of what equal documents share: their text where only these are looked for, else their
// elements, and their title where it is told apart.
uint64_t content_of(const DocumentTable& documents, uint32_t id, const DedupOptions& options);

// The same, and that those of other titles are none, where that is asked for. The documents, with
// their titles, must outlive it.
similar::PairRule pair_rule(const DedupOptions& options, const DocumentTable& documents);

// Whether documents need MinHash signatures.
bool needs_signatures(const DuplicateOptions& options);

// Whether other pairs than those of equal documents are looked for: a pair of documents with a
// resemblance of 1 has equal elements, but one may contain the other.
bool finds_pairs(const DuplicateOptions& options);

// An error (usage) when no parameters of the method reach the recall at the similarity: known
// before anything is read.
Status check_plan(const DuplicateOptions& options);

// Gives the pairs of the documents `ids` (representatives, none empty) to the sinks, in at most
// `memory` bytes, and fills what the report says of the plan and of pairs. REQUIRES: finds_pairs().
Status find_pairs(const DocumentTable& documents, std::span<const uint32_t> ids,
                  const DedupOptions& options, const DedupResources& resources,
                  const Budget& memory, const similar::SetJoinSinks& sinks, DedupReport& report,
                  const ProgressCallback& progress);

// Which tables `kith dedup` joins by: the cheapest that keep the promised recall
// (docs/algorithms/near-duplicates.md).

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
