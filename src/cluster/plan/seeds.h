// The seeds of a run's parts, derived from the one that the user gives.
#pragma once

#include <cstdint>

#include "base/hash.h"

namespace kith::cluster {

// Different uses of one seed must not see the same random numbers.
enum class SeedUse : uint64_t {
  threshold = 1,
  sketch,
  tables,
  paper_sketch,
  paper_keys,
  dedup_sketch = 101,
  dedup_tables,
  dedup_plan,
  dedup_check,
};

constexpr uint64_t seed_for(uint64_t seed, SeedUse use) {
  return mix64(seed * golden + static_cast<uint64_t>(use));
}

// options: of a job, or of a part of the library.
template <class Options>
uint64_t seed_for(const Options& options, SeedUse use) {
  return seed_for(options.seed, use);
}

}  // namespace kith::cluster
