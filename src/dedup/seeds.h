// The seeds of the parts of a run of `kith dedup`, derived from the one that the user gives.
#pragma once

#include <cstdint>

#include "kith/dedup.h"

#include "base/hash.h"

namespace kith::pipeline {

enum class DedupSeed : uint64_t { sketch = 101, tables, plan, check };

inline uint64_t seed_for(const DedupOptions& options, DedupSeed use) {
  return mix64(options.seed * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(use));
}

}  // namespace kith::pipeline
