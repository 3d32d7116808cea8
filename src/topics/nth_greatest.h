// One value of many by its rank.
#pragma once

#include <cstddef>
#include <span>

namespace kith::topics {

// The n-th greatest of some values, each >= 0; equal ones count as often as they are there.
// REQUIRES: 0 < n <= values.size().
float nth_greatest(std::span<const float> values, size_t n);

}  // namespace kith::topics
