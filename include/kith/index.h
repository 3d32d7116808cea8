// An index in memory that grows: which of the sets, or of the weighted bags, so far are similar to
// one (docs/algorithms/lsh.md, near-duplicates.md).
//
//   auto index = kith::SetIndex::make({.similarity = 0.8});
//   const auto id = index->add(*kith::shingles("first text"));
//   const auto found = index->query(*kith::shingles("second text"));
//   for (const kith::Match& match : *found) ... match.id, match.similarity ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kith/bags.h"
#include "kith/cluster_bags.h"
#include "kith/shingles.h"
#include "kith/status.h"
#include "kith/tune.h"

#pragma GCC visibility push(default)

namespace kith {

struct IndexOptions {
  double similarity = 0.8;    // the minimum of a match, (0, 1)
  double recall = 0.99;       // of matches at this similarity, (0, 1)
  uint32_t lanes = 128;       // m, minima of a signature: a multiple of 16 in [16, 1024]
  uint32_t max_tables = 256;  // the most LSH tables that may be used, [1, 1024]
  uint64_t seed = 1;
};

// An error of kind usage: a field out of range, or a recall that no tables reach.
Status validate(const IndexOptions& options);

struct Match {
  uint32_t id;        // the number in which it was added, from 0
  double similarity;  // exact, at least that of the options
  friend bool operator==(const Match&, const Match&) = default;
};

// Both kinds of index find candidates by LSH tables of signatures and compare every one exactly: no
// match is false, and one of a similarity s is found with a probability of recall_at(plan(), s) but
// for 10^-4. What is found depends on the options and on what was added, in which order, alone.
// Each function may be called by many threads at once, but none while add() is at work. What fails
// leaves the index as it was. threads: 0 is one per processor.
//
// Sets of hashes by their resemblance. Memory: 8 bytes an element, and for each set some 2 bytes a
// lane and 20 to 50 bytes a table, most right after a table has grown.
class SetIndex {
 public:
  static Result<SetIndex> make(const IndexOptions& options = {});
  ~SetIndex();
  SetIndex(SetIndex&&) noexcept;
  SetIndex& operator=(SetIndex&&) noexcept;

  const IndexOptions& options() const;
  const TablePlan& plan() const;
  uint32_t size() const;
  // The elements of a set, ascending, each once; a view until the next add(). REQUIRES: id <
  // size().
  std::span<const uint64_t> set(uint32_t id) const;

  // Adds a set and returns its id. Its elements are hashes of 64 well-mixed bits, such as shingles,
  // in any order; repetitions change nothing. An empty set gets an id and never matches. Errors: of
  // kind usage at 2^32 - 1 sets, of kind memory.
  Result<uint32_t> add(std::span<const uint64_t> set);
  // Adds many, and returns the id of the first; the others follow.
  Result<uint32_t> add(const SetsView& sets, unsigned threads = 0);

  // The matches of a set, which need not be in the index: most similar first, ties by id.
  Result<std::vector<Match>> query(std::span<const uint64_t> set) const;
  // Of many: element i is the answer to set i.
  Result<std::vector<std::vector<Match>>> query(const SetsView& sets, unsigned threads = 0) const;
  // All pairs of the index that are matches of each other, ascending by a, then by b.
  Result<std::vector<SimilarIds>> pairs(unsigned threads = 0) const;

 private:
  struct State;
  explicit SetIndex(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Weighted bags by Bags::similarity(). Memory: 8 bytes an entry, and the rest as above.
class BagIndex {
 public:
  static Result<BagIndex> make(const IndexOptions& options = {});
  ~BagIndex();
  BagIndex(BagIndex&&) noexcept;
  BagIndex& operator=(BagIndex&&) noexcept;

  const IndexOptions& options() const;
  const TablePlan& plan() const;
  uint32_t size() const;

  // Adds all bags, and returns the id of the first; the others follow. As SetIndex::add().
  Result<uint32_t> add(const Bags& bags, unsigned threads = 0);
  // As of SetIndex.
  Result<std::vector<std::vector<Match>>> query(const Bags& bags, unsigned threads = 0) const;
  Result<std::vector<SimilarIds>> pairs(unsigned threads = 0) const;

 private:
  struct State;
  explicit BagIndex(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kith

#pragma GCC visibility pop
