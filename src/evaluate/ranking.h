// Precision of ranked lists.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "kith/evaluate.h"

namespace kith::evaluate {

inline constexpr std::array<uint32_t, 4> precision_ranks{1, 5, 10, 20};

// Adds up lists. Not thread-safe.
class PrecisionCounter {
 public:
  // One list, best first: whether each entry is right.
  void add(std::span<const uint8_t> is_right);
  RankingPrecision precision() const;

 private:
  struct Sum {
    double precision = 0;
    uint64_t full = 0;
  };
  std::array<Sum, precision_ranks.size()> sums_;
  uint64_t lists_ = 0;  // that are not empty
  uint64_t empty_ = 0;
};

}  // namespace kith::evaluate
