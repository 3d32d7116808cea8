// The steps of `kith dedup` over documents on many machines: each is that of the job on one
// machine, and takes the documents that one machine has at a time. docs/algorithms/spark.md says
// how they follow each other, and docs/algorithms/near-duplicates.md what they do.
//
//   const auto found = features(options, texts);                   // of some of the documents
//   const auto places = sample_places(documents, options);         // of all different documents
//   const auto considered = plan_tables(options, documents, ...);  // by signatures of the sample
//   const TableJoin join = join_of(options, per_key, tables);      // LSH tables: keys, candidates
//   const auto similar = verify(options, sets, a, b);               // pairs, exactly
//
// Options are those that check_distributed() has passed.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kith/dedup.h"
#include "kith/shingles.h"
#include "kith/status.h"

#include "distributed/table_join.h"
#include "jobs/dedup/methods.h"

namespace kith::distributed {

// An error of kind usage for options out of range, and for those that are not for documents on
// many machines: methods other than minhash and exact, groups other than center.
Status check_distributed(const DedupOptions& options);

// What documents are compared by.
struct DocumentFeatures {
  Sets sets;  // the elements of each
  // Two values each: 128 bits that are equal for equal sets; with method exact, for equal texts.
  std::vector<uint64_t> content;
  std::vector<uint16_t> signatures;  // of each a row of options.lanes values
};

// Errors of kind usage: a text of 4 GiB; it is named by its number among these.
Result<DocumentFeatures> features(const DedupOptions& options,
                                  std::span<const std::string_view> texts);

// Whether documents that are not equal are compared at all.
using jobs::finds_pairs;

// Which of the different documents, numbered in the order of the input, the choice of tables looks
// at.
using jobs::sample_places;

// The tables that were considered, of which one is chosen, by the signatures of the sample.
Result<std::vector<DedupTables>> plan_tables(const DedupOptions& options, uint64_t documents,
                                             SignatureView queries, SignatureView others);

// The tables of plan_tables() that were chosen.
TableJoin join_of(const DedupOptions& options, uint32_t per_key, uint32_t tables);

// Whether offsets begin with 0, ascend, and end within the elements.
bool are_sets(const SetsView& sets);

// The resemblance of sets a[i] and b[i]; NaN where they are no pair. An error of kind corrupt:
// arrays that do not fit together.
Result<std::vector<double>> verify(const DedupOptions& options, const SetsView& sets,
                                   std::span<const uint32_t> a, std::span<const uint32_t> b);

}  // namespace kith::distributed
