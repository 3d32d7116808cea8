#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "base/random.h"
#include "cluster/clustering.h"

namespace kith::cluster {
namespace {

// The lowest id that a search from `start` reaches.
uint32_t lowest_reached(size_t n, const std::vector<std::pair<uint32_t, uint32_t>>& edges,
                        uint32_t start) {
  std::vector<bool> reached(n);
  reached[start] = true;
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [a, b] : edges) {
      if (reached[a] == reached[b]) continue;
      reached[a] = reached[b] = grown = true;
    }
  }
  return static_cast<uint32_t>(std::ranges::find(reached, true) - reached.begin());
}

TEST(Components, AreThoseOfASearchInAnyOrderOfJoins) {
  Rng rng(1);
  for (const size_t count : {0, 5, 30, 60, 200}) {
    constexpr size_t n = 60;
    std::vector<std::pair<uint32_t, uint32_t>> edges;
    for (size_t i = 0; i < count; ++i) {
      edges.emplace_back(static_cast<uint32_t>(rng.below(n)), static_cast<uint32_t>(rng.below(n)));
    }
    Components forwards(n);
    Components backwards(n);
    for (const auto& [a, b] : edges) forwards.join(a, b);
    std::ranges::reverse(edges);
    for (const auto& [a, b] : edges) backwards.join(b, a);
    for (uint32_t id = 0; id < n; ++id) {
      EXPECT_EQ(forwards.find(id), lowest_reached(n, edges, id));
      EXPECT_EQ(backwards.find(id), forwards.find(id));
    }
  }
}

}  // namespace
}  // namespace kith::cluster
