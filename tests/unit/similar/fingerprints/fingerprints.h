// Fingerprints, and where the tests write them.
#pragma once

#include <cstdint>

#include "base/random.h"
#include "storage/file_system.h"

namespace kith::test {

inline storage::FileSystem& disk = storage::posix_file_system();

// The value after so many changes of one bit each; a bit may change twice.
inline uint64_t flip(uint64_t value, uint64_t flips, Rng& rng) {
  for (; flips > 0; --flips) value ^= uint64_t{1} << rng.below(64);
  return value;
}

}  // namespace kith::test
