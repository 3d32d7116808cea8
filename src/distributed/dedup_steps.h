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

#include <compare>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kith/dedup.h"
#include "kith/shingles.h"
#include "kith/status.h"

#include "jobs/dedup/methods.h"
#include "similar/tables/block_rows.h"
#include "similar/tables/bucket_split.h"
#include "sketch/lsh/tables.h"
#include "sketch/signature.h"

namespace kith::distributed {

// LSH tables: each step takes the documents that one machine has at a time, and all steps together
// find the candidates of one machine (docs/algorithms/lsh.md, pairs.md).

// Where a document is in a table whose bucket of it was split, as it travels.
struct DocumentPlace {
  uint32_t row = 0;  // of the documents that a call is about
  uint32_t table = 0;
  uint64_t part = 0;      // 64 well-mixed bits that no other part has; of a whole part its name
  uint32_t key = 0;       // the bucket of the part in its table, as keys() gives it
  uint32_t is_whole = 0;  // 1: its pairs are not candidates, but left to the scan for centers
};
static_assert(sizeof(DocumentPlace) == 24);

// Documents by their numbers, a < b.
struct DocumentIds {
  uint32_t a;
  uint32_t b;
  friend auto operator<=>(const DocumentIds&, const DocumentIds&) = default;
};

// Of documents in a slice.
struct Candidates {
  std::vector<DocumentIds> pairs;  // those of a document together, ascending by the smaller one
  uint64_t collisions = 0;         // pairs that met, once for each table
};

// Signatures stand side by side, `lanes` values each.
using SignatureView = std::span<const uint16_t>;
// Documents by their numbers among all, ascending.
using DocumentView = std::span<const uint32_t>;

// Which of `slices` slices a bucket is in: all tables are cut alike, into ranges of keys.
inline uint32_t slice_of(uint32_t key, uint32_t slices) {
  return static_cast<uint32_t>(uint64_t{key} * slices >> 32);
}

// The LSH tables that were chosen. Immutable, thread-safe.
class TableJoin {
 public:
  // min_equal_bytes: of the low bytes of the signatures of a candidate.
  TableJoin(const sketch::TableParams& params, uint32_t min_equal_bytes, similar::PivotRule pivots)
      : min_equal_bytes_(min_equal_bytes), tables_(params), masks_(tables_), pivots_(pivots) {}

  uint32_t tables() const { return tables_.params().tables; }
  uint32_t lanes() const { return tables_.params().lanes; }
  uint32_t min_equal_bytes() const { return min_equal_bytes_; }

  // By document a row of tables() values, its bucket in every table. Documents are in the same
  // bucket when these are equal.
  std::vector<uint32_t> keys(SignatureView signatures) const;

  // The largest bucket of a table whose pairs are all compared, by how many buckets of that table
  // have how many of the `documents` different documents: counts[i] of sizes[i]. Buckets of more
  // than largest_unsplit() of that may hold whole parts.
  uint64_t bound(uint64_t documents, std::span<const uint64_t> sizes,
                 std::span<const uint64_t> counts) const;
  uint64_t largest_unsplit(uint64_t bound) const;

  // Divides a bucket of a table, all of it, that has more documents than largest_unsplit(bound):
  // where each of them is, nothing where the bucket stays as it is. Time: 16 or fewer passes over
  // the signatures. REQUIRES: table < tables(), bound >= 2.
  std::vector<DocumentPlace> split(uint32_t table, uint64_t bound, DocumentView documents,
                                   SignatureView signatures) const;

  // The candidates that meet first in a bucket of one slice, by the rows of the signatures: of all
  // documents that are in a bucket of the slice together with another one, and perhaps of more, in
  // the order of their numbers. `places`: of these, all that split() gave, in the order of rows.
  // Over all slices every candidate comes once.
  Candidates candidates(SignatureView signatures, std::span<const DocumentPlace> places,
                        uint32_t slice, uint32_t slices) const;

 private:
  const uint32_t min_equal_bytes_;
  const sketch::Tables tables_;
  const sketch::SubsetMasks masks_;
  const similar::PivotRule pivots_;
};

// The steps around the tables.

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
