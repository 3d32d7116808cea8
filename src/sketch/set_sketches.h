// Sketches of sets of hashes and what two of them estimate: min-wise signatures and super-shingles,
// k minima, modular, and their fast form (Broder 1997; docs/algorithms/sketch.md;
// docs/algorithms/near-duplicates.md). Weighted bags have theirs in sketch/signature.h. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sketch/estimate.h"
#include "sketch/kernels/kernels.h"
#include "sketch/simd.h"

namespace kith::sketch {

// Two families of hash functions. Signatures of different families cannot be compared, so a
// collection has one family, whatever the sizes of its documents: it is an option, not a choice
// made document by document.
enum class MinHashFamily : uint8_t {
  // Every element in every lane: time n m for n elements and m lanes.
  lanes = 1,
  // Fast similarity sketching (Dahlgaard, Knudsen, Thorup 2017): time n + m log m.
  bins = 2,
};

struct SetSketchOptions {
  MinHashFamily family = MinHashFamily::lanes;
  uint32_t lanes = 128;  // m: a multiple of 16 in [16, 1024]
  uint64_t seed = 0x6d696e68;
};

// Makes signatures: m values of 16 bits, of which two sets share each one with a probability of
// their resemblance (plus 2^-16 for chance). They are rows for sketch/signature.h (count_equal,
// SignaturePlane, estimate_similarity), sketch/lsh/tables.h and sketch/lsh/duplicate_tables.h.
// Immutable after construction and thread-safe. Every SIMD level gives the same bits, and they are
// fixed for ever.
class SetSketcher {
 public:
  // REQUIRES: options in range, level supported by this processor.
  explicit SetSketcher(const SetSketchOptions& options, SimdLevel level = best_simd_level());
  ~SetSketcher();
  SetSketcher(SetSketcher&&) noexcept;
  SetSketcher& operator=(SetSketcher&&) noexcept;

  const SetSketchOptions& options() const;
  uint32_t lanes() const { return options().lanes; }

  // `elements` are hashes of 64 well-mixed bits, such as shingles; ids must go through mix64()
  // first. In any order; repetitions change nothing. No elements give all zeros. Uses 20 KiB of
  // stack and no other memory. REQUIRES: signature.size() == lanes().
  void sketch(std::span<const uint64_t> elements, std::span<uint16_t> signature) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

// Super-shingles: s minima of a signature as one value (Broder et al. 1997; Broder,
// "Identifying and filtering near-duplicate documents", 2000; docs/algorithms/near-duplicates.md).
// Bands of LSH (sketch/lsh/duplicate_tables.h) are the same. Pure.

// keys[i] tells, in 64 well-mixed bits, the values [g s, (g + 1) s) of a signature and g = first +
// i: two signatures have the same super-shingle g when these values are equal, else with a chance
// of 2^-64, and super-shingles of different numbers meet with that chance too. Values that make no
// whole super-shingle are not used. Fixed for ever. REQUIRES: s > 0, (first + keys.size()) * s <=
// signature.size().
void super_shingles(std::span<const uint16_t> signature, uint32_t s, uint32_t first,
                    std::span<uint64_t> keys);

// The chance that documents of a resemblance in [0, 1] share a given super-shingle of s > 0 minima
// of 16 bits: (r + (1 - r) 2^-16)^s.
double super_shingle_probability(double resemblance, uint32_t s);

// And that they share at least `least` of `groups`, which are as good as independent (Broder 2000:
// 2 of 6 of 14 minima).
double shared_super_shingles_probability(double resemblance, uint32_t s, uint32_t groups,
                                         uint32_t least);

// The resemblance at which `equal` of `groups` super-shingles are expected, with bounds.
// REQUIRES: equal <= groups, groups > 0, s > 0, confidence in (0, 1).
Estimate estimate_from_super_shingles(uint32_t equal, uint32_t groups, uint32_t s,
                                      double confidence);

// What two bags have in common, whatever their entries are.

// The sum of the smaller weights of the terms that both have. Entries ascend by term(entry);
// weight(entry) is a uint32_t. Free of branches: one would be mispredicted at every second entry.
template <class Entries, class Term, class Weight>
uint32_t merged_minima(const Entries& a, const Entries& b, Term&& term, Weight&& weight) {
  uint32_t sum = 0;
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const auto x = a[i];
    const auto y = b[j];
    sum += term(x) == term(y) ? std::min(weight(x), weight(y)) : 0;
    i += term(x) <= term(y) ? 1 : 0;
    j += term(y) <= term(x) ? 1 : 0;
  }
  return sum;
}

// MIN_s: the s smallest elements of a set (Broder 1997, theorem 1;
// docs/algorithms/near-duplicates.md). For resemblance. Pure.

// Elements are hashes, so their order is a random permutation already: the sketch is the front of
// the set, a view of it. One of fewer than s elements is the whole set. REQUIRES: s > 0.
HashSet min_sketch(HashSet elements, uint32_t s);

// The resemblance of A and B from their sketches for the same s: of the s smallest elements of A u
// B, which the sketches give, the share that is in both. Unbiased; exact, with equal bounds, where
// both sketches are whole sets. REQUIRES: both have at most s elements, confidence in (0, 1).
Estimate estimate_resemblance(HashSet a, HashSet b, uint32_t s, double confidence);

// MOD_m sketches with m = 2^i: the elements that m divides (Broder 1997, theorem 1;
// docs/algorithms/near-duplicates.md). For resemblance and containment. Pure.

// V_i of a set: its elements whose low i bits are zero, a sample of one in 2^i.
struct ModSketch {
  static constexpr uint32_t max_values = 100;
  static constexpr uint32_t max_level = 63;

  uint32_t level = 0;            // i, at most max_level
  std::vector<uint64_t> values;  // ascending, each once
};

// V_i for the smallest i at which at most `max_values` are left: usually 50 to 100 of them, and
// the whole set (i = 0) where it has no more.
ModSketch mod_sketch(HashSet elements);

struct ModEstimate {
  Estimate resemblance;
  Estimate containment_of_a;  // |A n B| / |A|
  Estimate containment_of_b;
};
// Sketches of different levels are compared at the higher one. The shares of the samples, with
// bounds; exact where both sketches are whole sets. An empty sample says nothing: 0, in [0, 1].
// REQUIRES: confidence in (0, 1).
ModEstimate estimate_overlap(const ModSketch& a, const ModSketch& b, double confidence);

// Fast similarity sketching (Dahlgaard, Knudsen, Thorup, "Fast similarity sketching", FOCS
// 2017). Internal to this folder; used by SetSketcher.

// Immutable, thread-safe.
class FastSketch {
 public:
  FastSketch(uint32_t bins, uint64_t salt, const Kernels& kernels)
      : bins_(bins), salt_(salt), kernels_(kernels.bins) {}

  // values[b]: what tells the element that won bin b, in 32 bits. Two sets share the winner of a
  // bin with a probability of their resemblance. REQUIRES: elements are not empty and well
  // mixed; bins in [1, 1024]; `values` has room for them.
  void sketch(std::span<const uint64_t> elements, uint32_t* values) const;

 private:
  BinsRound round(uint32_t number) const;
  void fill(std::span<const uint64_t> elements, uint64_t* ranks) const;
  void fill_rest(std::span<const uint64_t> elements, uint32_t first, uint64_t* ranks) const;

  uint32_t bins_;
  uint64_t salt_;
  BinsKernels kernels_;
};

}  // namespace kith::sketch
