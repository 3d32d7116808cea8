// The seeds of a run's parts, derived from the one that the user gives.
#pragma once

#include <cstdint>

#include "kith/options.h"

#include "base/hash.h"

namespace kith::pipeline {

// Different uses of one seed must not see the same random numbers.
enum class SeedUse : uint64_t { threshold = 1, sketch, tables, paper_sketch, paper_keys };

inline uint64_t seed_for(const ClusterOptions& options, SeedUse use) {
  return mix64(options.seed * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(use));
}

}  // namespace kith::pipeline
