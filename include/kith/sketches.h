// Short summaries of sets and bags, and what they say about a similarity: MinHash, SimHash,
// estimates with bounds.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <span>

#include "kith/bags.h"
#include "kith/shingles.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

// Estimates with bounds: what sketches say about a similarity (docs/algorithms/sketch.md).
//
//   const auto estimate = kith::estimate_similarity(signature_a, signature_b);
//   if (estimate && estimate->lower > 0.8) ...

struct Estimate {
  double lower;  // the truth lies below it with a probability of at most (1 - confidence) / 2
  double value;
  double upper;  // and above it likewise
};

// All of these are thread-safe and depend on their arguments only. An error of kind usage:
// confidence outside of (0, 1).

// The resemblance of two sets from their signatures by MinHasher, or the similarity of two weighted
// bags from theirs by BagSketcher: the share of equal lanes, corrected for lanes that agree by
// chance, with the bounds of Clopper and Pearson (1934). Another error of kind usage: the
// signatures are empty or of different lengths. Signatures of different seeds say nothing about
// each other.
Result<Estimate> estimate_similarity(std::span<const uint16_t> a, std::span<const uint16_t> b,
                                     double confidence = 0.95);

// The cosine of two weighted sets, in [0, 1], from their fingerprints by SimHasher (Charikar 2002).
Result<Estimate> estimate_cosine(uint64_t a, uint64_t b, double confidence);

// A share of which `hits` of `trials` independent draws are a sample, such as a measured recall,
// with the bounds of Clopper and Pearson. Without trials nothing is known: 0, in [0, 1]. Another
// error of kind usage: more hits than trials.
Result<Estimate> estimate_share(uint64_t hits, uint64_t trials, double confidence = 0.95);

// MinHash: short signatures of sets, whose share of equal lanes is the resemblance of the sets
// (Broder 1997; docs/algorithms/near-duplicates.md).
//
//   const auto hasher = kith::MinHasher::make({.lanes = 128});
//   std::vector<uint16_t> rows(sets.size() * hasher->lanes());
//   if (const auto done = hasher->signatures(sets, rows); !done) ... done.error().message ...
//   const auto first_two = kith::estimate_similarity(
//       std::span(rows).first(128), std::span(rows).subspan(128, 128));

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

// SimHash: 64 bits of a weighted set, in whose number of differing bits the angle between two such
// sets is seen (Charikar 2002; Manku, Jain, Das Sarma 2007; docs/algorithms/simhash.md).

// The number of bits in which two fingerprints differ, 0 to 64.
constexpr uint32_t hamming_distance(uint64_t a, uint64_t b) {
  return static_cast<uint32_t>(std::popcount(a ^ b));
}

// Makes fingerprints. Features are numbers of any kind: they are mixed before use. Their order does
// not matter; one that is given twice counts with both weights; without weight the fingerprint is
// 0. The same on every machine, as in the files of `kith dedup --method simhash`. Without state, so
// thread-safe. threads: 0 is one per processor; the fingerprints do not depend on it.
class SimHasher {
 public:
  // Of a set, each of whose elements counts once. An error of kind usage: 2^31 elements or more.
  Result<uint64_t> fingerprint(std::span<const uint64_t> set) const;

  // Of features with weights. Errors of kind usage: 2^31 features or more, or not as many weights.
  Result<uint64_t> fingerprint(std::span<const uint64_t> features,
                               std::span<const uint32_t> weights) const;

  // Of n sets: out[i] is that of set i. Errors of kind usage: sets that are not valid, or an `out`
  // of another size.
  Status fingerprints(const SetsView& sets, std::span<uint64_t> out, unsigned threads = 0) const;

  // Of all bags, by the numbers of their terms. An error of kind usage: an `out` of another size.
  Status fingerprints(const Bags& bags, std::span<uint64_t> out, unsigned threads = 0) const;
};

}  // namespace kith

#pragma GCC visibility pop
