// LSH tables over documents on many machines: each step takes the documents that one machine has at
// a time, and all steps together find the candidates of one machine (docs/algorithms/lsh.md,
// pairs.md; docs/algorithms/spark.md). Tables come from DedupSteps::join().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

// Where a document is in a table whose bucket of it was split.
struct DocumentPlace {
  uint32_t row = 0;  // of the documents that a call is about
  uint32_t table = 0;
  uint64_t part = 0;      // 64 well-mixed bits that no other part has; of a whole part its name
  bool is_whole = false;  // its pairs are not candidates, but left to the scan for centers
};

// Documents by their numbers, a < b.
struct DocumentIds {
  uint32_t a;
  uint32_t b;
  friend auto operator<=>(const DocumentIds&, const DocumentIds&) = default;
};

// Signatures are side by side, `lanes` values each. What stands behind `documents` are their
// numbers among all, ascending. Sizes that do not fit together are errors of kind usage.
using SignatureView = std::span<const uint16_t>;
using DocumentView = std::span<const uint32_t>;

// The candidates of a slice, some at a time (TableJoin::slice). Of one thread.
class SliceCandidates {
 public:
  ~SliceCandidates();
  SliceCandidates(SliceCandidates&&) noexcept;
  SliceCandidates& operator=(SliceCandidates&&) noexcept;

  // Those of the next tables: `most` pairs, and those of one more table at the most; none at the
  // end. Pairs of a document together, ascending by the smaller one.
  Result<std::vector<DocumentIds>> next(size_t most);
  // The pairs that have met so far, once for each table.
  uint64_t collisions() const;

 private:
  friend class TableJoin;
  struct State;
  explicit SliceCandidates(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The LSH tables that were chosen. Immutable, thread-safe.
class TableJoin {
 public:
  ~TableJoin();
  TableJoin(TableJoin&&) noexcept;
  TableJoin& operator=(TableJoin&&) noexcept;

  uint32_t tables() const;
  // The fewest equal low bytes of the signatures of a candidate.
  uint32_t min_equal_bytes() const;

  // By document a row of tables() values, its bucket in every table. Documents are in the same
  // bucket when these are equal.
  Result<std::vector<uint32_t>> keys(SignatureView signatures) const;

  // The largest bucket of a table whose pairs are all compared, by how many buckets of that table
  // have how many of the `documents` different documents: counts[i] of sizes[i]. Buckets of more
  // than largest_unsplit() of that may hold whole parts.
  Result<uint64_t> bound(uint64_t documents, std::span<const uint64_t> sizes,
                         std::span<const uint64_t> counts) const;
  uint64_t largest_unsplit(uint64_t bound) const;

  // Divides a bucket of a table, all of it, that has more documents than largest_unsplit(bound):
  // where each of them is, nothing where the bucket stays as it is. Time: 16 or fewer passes over
  // the signatures.
  Result<std::vector<DocumentPlace>> split(uint32_t table, uint64_t bound, DocumentView documents,
                                           SignatureView signatures) const;
  // By place, the bucket of a part in its table, as keys() gives it; of whole parts nothing that
  // is of use.
  static std::vector<uint32_t> part_keys(std::span<const DocumentPlace> places);

  // Which of `slices` slices a bucket is in: all tables are cut alike, into ranges of keys.
  static uint32_t slice_of(uint32_t key, uint32_t slices);

  struct Candidates {
    std::vector<DocumentIds> pairs;  // those of a document together, ascending by the smaller one
    uint64_t collisions = 0;         // pairs that met, once for each table
  };
  // The candidates that meet first in a bucket of one slice. `documents`: all that are in a bucket
  // of the slice together with another one, and perhaps more. `places`: of these, all that split()
  // gave, in the order of rows. Over all slices every candidate comes once.
  Result<Candidates> candidates(DocumentView documents, SignatureView signatures,
                                std::span<const DocumentPlace> places, uint32_t slice,
                                uint32_t slices) const;

  // The same, some tables at a time, for slices whose candidates are more than memory should hold,
  // by the rows of the signatures. Neither the input nor this need outlive the call.
  Result<SliceCandidates> slice(SignatureView signatures, std::span<const DocumentPlace> places,
                                uint32_t slice, uint32_t slices) const;

 private:
  friend class DedupSteps;
  friend class SliceCandidates;
  struct State;
  explicit TableJoin(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

}  // namespace kith

#pragma GCC visibility pop
