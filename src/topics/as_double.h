// Whole numbers as floating-point numbers.
#pragma once

#include <cstdint>

namespace kith::topics {

// The same as static_cast<double>(n), and faster: most processors convert signed numbers only.
// REQUIRES: n < 2^63.
constexpr double as_double(uint64_t n) {
  return static_cast<double>(static_cast<int64_t>(n));
}
// REQUIRES: n < 2^31.
constexpr double as_double(uint32_t n) {
  return static_cast<double>(static_cast<int32_t>(n));
}

}  // namespace kith::topics
