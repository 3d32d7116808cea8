// The steps of `kith dedup`, for programs that spread its documents over machines: each step is
// that of the job on one machine, and takes the documents that one machine has at a time.
// kith.spark is made of them; docs/algorithms/spark.md says how they follow each other, and
// docs/algorithms/near-duplicates.md what they do.
//
//   const auto steps = kith::DedupSteps::make({.similarity = 0.8});
//   const auto features = steps->features(texts);               // of some of the documents
//   const auto sample = steps->sample(documents);               // of all different documents
//   const auto plan = steps->plan(documents, queries, others);  // by signatures of the sample
//   const auto join = steps->join(*chosen);                     // LSH tables: keys, candidates
//   const auto common = steps->verify(sets, a, b);              // pairs, exactly
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/dedup.h"
#include "kith/shingles.h"
#include "kith/status.h"
#include "kith/table_join.h"
#include "kith/text_dedup.h"

#pragma GCC visibility push(default)

namespace kith {

// What documents are compared by.
struct DocumentFeatures {
  Sets sets;  // the elements of each
  // Two values each: 128 bits that are equal for equal sets; with method exact, for equal texts.
  std::vector<uint64_t> content;
  std::vector<uint16_t> signatures;  // of each a row, of DuplicateOptions::lanes values
};

// Which of the different documents, numbered in the order of the input, the choice of tables looks
// at.
struct DedupSample {
  std::vector<uint64_t> queries;  // one may stand here twice
  std::vector<uint64_t> others;   // ascending
};

// Two documents and the elements that both have.
struct CommonElements {
  uint32_t a;
  uint32_t b;
  uint32_t common;
  friend auto operator<=>(const CommonElements&, const CommonElements&) = default;
};

// verify() of a pair that is none.
inline constexpr uint32_t no_common_elements = UINT32_MAX;

// CENTER where there are whole parts: over documents that were given, their pairs and parts, by
// the scan of the job on one machine. Not thread-safe.
class DedupCenterScan {
 public:
  // For the step behind the scan, which needs all documents: the largest max_families groups of
  // min_family documents or more are joined by what chance has kept apart from them
  // (docs/algorithms/near-duplicates.md, "Large buckets").
  static constexpr uint32_t min_family = 64;
  static constexpr uint32_t max_families = 64;

  ~DedupCenterScan();
  DedupCenterScan(DedupCenterScan&&) noexcept;
  DedupCenterScan& operator=(DedupCenterScan&&) noexcept;

  // More documents, their numbers greater than those before. Elements and signatures are looked at
  // of those in whole parts only; others may have empty sets.
  Status add(DocumentView documents, const SetsView& sets, SignatureView signatures);

  struct Input {
    // By document in the order of add(), those with smaller ones become centers first. Different.
    std::span<const uint64_t> ranks = {};
    std::span<const DocumentIds> pairs = {};
    std::span<const uint64_t> part_names = {};    // of a member of a whole part,
    std::span<const uint32_t> part_members = {};  // and its number
    uint64_t max_centers = 0;                     // max_centers()
  };
  struct Output {
    std::vector<uint32_t> center;       // by document in the order of add(); itself for a center
    std::vector<CommonElements> pairs;  // of documents and centers, that parts have brought
  };
  // To be called once, last. A number that was not added is an error of kind usage.
  Result<Output> run(const Input& input);

  // The most centers of a part that a document is compared with, by all parts, their members and
  // all documents.
  static uint64_t max_centers(uint64_t parts, uint64_t members, uint64_t documents,
                              uint64_t max_comparisons);

 private:
  friend class DedupSteps;
  struct State;
  explicit DedupCenterScan(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// What needs no tables. Immutable, thread-safe.
class DedupSteps {
 public:
  // An error of kind usage for options out of range, and for those that are not for documents on
  // many machines: methods other than minhash and exact, groups other than center.
  static Result<DedupSteps> make(const DuplicateOptions& options = {},
                                 const ShingleOptions& shingles = {});
  ~DedupSteps();
  DedupSteps(DedupSteps&&) noexcept;
  DedupSteps& operator=(DedupSteps&&) noexcept;

  const DuplicateOptions& options() const;
  // Whether documents that are not equal are compared at all.
  bool finds_pairs() const;

  // Errors of kind usage: a text of 4 GiB; it is named by its number among these.
  Result<DocumentFeatures> features(std::span<const std::string_view> texts,
                                    unsigned threads = 1) const;

  // Of so many different documents that are not empty.
  DedupSample sample(uint64_t documents) const;
  // The tables that were considered, of which one is chosen, by the signatures of the sample.
  Result<std::vector<DedupTables>> plan(uint64_t documents, SignatureView queries,
                                        SignatureView others) const;
  // The tables of plan() that were chosen.
  Result<TableJoin> join(const DedupTables& chosen) const;

  // The elements that sets a[i] and b[i] have in common; no_common_elements where they are no
  // pair.
  Result<std::vector<uint32_t>> verify(const SetsView& sets, std::span<const uint32_t> a,
                                       std::span<const uint32_t> b) const;

  // folder: for its files, which is made and removed, an error of kind usage if it is there
  // already; empty: they are in memory. memory: bytes that it may hold beside files; 0: three
  // quarters of what the machine has.
  Result<DedupCenterScan> center_scan(const std::string& folder = {}, uint64_t memory = 0) const;

 private:
  struct State;
  explicit DedupSteps(std::unique_ptr<const State> state);
  std::unique_ptr<const State> state_;
};

}  // namespace kith

#pragma GCC visibility pop
