// The MH-signature as the paper makes it (section 3.2): integer weights, linear hash functions
// on word ids, 80 minima of which 3 bytes are kept. Slower and less exact than Sketcher
// (sketch/signature.h), it is here as the measure for it; docs/algorithms/paper.md. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "sketch/bag.h"

namespace kith::jobs {

inline constexpr uint32_t paper_lanes = 80;       // m
inline constexpr uint32_t paper_value_bytes = 3;  // w

// The copies of a word in the multiset that a bag is flattened to: its weight, of 100, rounded
// to the next integer, halves upwards.
constexpr uint32_t paper_copies(uint32_t weight) {
  return (weight + sketch::weight_one / 2) / sketch::weight_one;
}

// Whether any word of a bag is left after rounding. Long bags of equal weights lose all.
bool has_paper_copies(sketch::Bag bag);

// Immutable and thread-safe.
class PaperSketcher {
 public:
  explicit PaperSketcher(uint64_t seed);

  // minima[i]: the low 3 bytes of the smallest (a_i x + b_i) mod (2^61 - 1) over the copies x of
  // the bag's words. REQUIRES: minima.size() == paper_lanes, has_paper_copies(bag).
  void sketch(sketch::Bag bag, std::span<uint32_t> minima) const;

 private:
  struct Linear {
    uint64_t a;
    uint64_t b;
  };
  std::array<Linear, paper_lanes> functions_;
};

}  // namespace kith::jobs
