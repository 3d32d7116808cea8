// LSH tables over documents on many machines: each step takes the documents that one machine has at
// a time, and all steps together find the candidates of one machine (docs/algorithms/lsh.md,
// pairs.md; docs/algorithms/spark.md).
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "similar/tables/block_rows.h"
#include "similar/tables/bucket_split.h"
#include "sketch/lsh/tables.h"
#include "sketch/signature.h"

namespace kith::distributed {

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

}  // namespace kith::distributed
