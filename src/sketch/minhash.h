// Min-wise signatures of sets of hashes (Broder 1997; docs/algorithms/sketch.md;
// docs/algorithms/near-duplicates.md). Weighted bags have theirs in sketch/signature.h. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "sketch/estimate.h"
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

}  // namespace kith::sketch
