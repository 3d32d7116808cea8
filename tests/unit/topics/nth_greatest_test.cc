#include <algorithm>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "topics/neighbour_graph.h"

namespace kith::topics {
namespace {

TEST(NthGreatest, IsThatOfSortedValues) {
  Rng rng(11);
  for (const uint64_t different : {1u, 7u, 1'000'000u}) {
    std::vector<float> values(3000);
    // Sizes of many magnitudes, and zeros.
    for (float& value : values) {
      const auto size = static_cast<float>(rng.below(different)) / 1e6f;
      value = rng.below(2) == 0 ? size : size * size * size;
    }
    std::vector<float> sorted = values;
    std::ranges::sort(sorted, std::ranges::greater());
    for (const size_t n : {1u, 2u, 512u, 2999u, 3000u}) {
      EXPECT_EQ(nth_greatest(values, n), sorted[n - 1]) << n << " of " << different;
    }
  }
}

}  // namespace
}  // namespace kith::topics
