// MinHash: short signatures of sets, whose share of equal lanes is the resemblance of the sets
// (Broder 1997; docs/algorithms/near-duplicates.md).
//
//   const auto hasher = kith::MinHasher::make({.lanes = 128});
//   std::vector<uint16_t> rows(sets.size() * hasher->lanes());
//   if (const auto done = hasher->signatures(sets, rows); !done) ... done.error().message ...
//   const auto first_two = kith::estimate_similarity(
//       std::span(rows).first(128), std::span(rows).subspan(128, 128));
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kith/sets.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

struct MinHashOptions {
  uint32_t lanes = 128;  // m, minima of a signature: a multiple of 16 in [16, 1024]
  uint64_t seed = 1;     // signatures of different seeds say nothing about each other
  // Whether the elements are hashes of 64 well-mixed bits already, as shingles() makes them. If
  // not, any numbers will do: they are mixed first.
  bool hashed = true;
};

// An error of kind usage when the lanes are out of range.
Status validate(const MinHashOptions& options);

// Makes signatures by fast similarity sketching (Dahlgaard, Knudsen, Thorup 2017): m values of 16
// bits, of which two sets share each with the probability of their resemblance, plus 2^-16 for
// chance. Time n + m log m for n elements. The same options give the same values on every machine;
// with `hashed` they are those of `kith dedup` with this seed. Immutable, thread-safe.
class MinHasher {
 public:
  static Result<MinHasher> make(const MinHashOptions& options = {});
  ~MinHasher();
  MinHasher(MinHasher&&) noexcept;
  MinHasher& operator=(MinHasher&&) noexcept;

  const MinHashOptions& options() const;
  uint32_t lanes() const { return options().lanes; }

  // Of one set, in any order; repetitions change nothing, and an empty set gives all zeros. An
  // error of kind usage unless out.size() == lanes().
  Status signature(std::span<const uint64_t> set, std::span<uint16_t> out) const;

  // Of n sets: row i of `out`, n x lanes() values, is that of set i. threads: 0 is one per
  // processor; the values do not depend on it. Errors of kind usage: sets that are not valid, or an
  // `out` of another size.
  Status signatures(const SetsView& sets, std::span<uint16_t> out, unsigned threads = 0) const;

 private:
  struct State;
  explicit MinHasher(std::unique_ptr<const State> state);
  std::unique_ptr<const State> state_;
};

}  // namespace kith

#pragma GCC visibility pop
