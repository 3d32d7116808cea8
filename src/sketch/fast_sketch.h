// Fast similarity sketching (Dahlgaard, Knudsen, Thorup, "Fast similarity sketching", FOCS
// 2017). Internal to this folder; used by SetSketcher.
#pragma once

#include <cstdint>
#include <span>

#include "sketch/kernels/kernels.h"

namespace kith::sketch {

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
