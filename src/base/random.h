// Random numbers that a seed repeats, and a seed that nobody knows.
#pragma once

#include <cstdint>
#include <limits>

#include "base/hash.h"

namespace kith {

// SplitMix64: a small seeded generator whose sequence is fixed for ever, unlike the
// distributions of <random>. Satisfies UniformRandomBitGenerator. Not thread-safe.
class Rng {
 public:
  using result_type = uint64_t;

  explicit Rng(uint64_t seed) : state_(seed) {}

  static constexpr uint64_t min() { return 0; }
  static constexpr uint64_t max() { return std::numeric_limits<uint64_t>::max(); }

  uint64_t operator()() { return mix64(state_ += golden); }

  // A uniform integer below n, n > 0 (multiply-shift; the bias is under n / 2^64).
  uint64_t below(uint64_t n) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<uint64_t>((static_cast<Wide>((*this)()) * n) >> 64);
  }

  // A uniform real in [0, 1).
  double uniform() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

// Randomness that no input can predict.

// A new number at each call, from the operating system (the clock where that gives none). For
// hash tables over foreign keys; nothing that is written may depend on it. Thread-safe.
uint64_t random_seed();

}  // namespace kith
