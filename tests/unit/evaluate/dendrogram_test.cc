#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "evaluate/agreement.h"

namespace kith::evaluate {
namespace {

// The definition: every pair of items with one label, and the lowest node that both are below.
std::optional<double> purity_by_pairs(const std::vector<uint32_t>& parent,
                                      const std::vector<uint32_t>& node,
                                      const std::vector<uint32_t>& label) {
  const auto is_below = [&](uint32_t n, uint32_t ancestor) {
    while (n > ancestor) n = parent[n];
    return n == ancestor;
  };
  double sum = 0;
  double pairs = 0;
  for (size_t a = 0; a < node.size(); ++a) {
    for (size_t b = a + 1; b < node.size(); ++b) {
      if (label[a] != label[b]) continue;
      uint32_t meeting = node[a];
      while (!is_below(node[b], meeting)) meeting = parent[meeting];
      double own = 0;
      double all = 0;
      for (size_t c = 0; c < node.size(); ++c) {
        if (!is_below(node[c], meeting)) continue;
        ++all;
        own += label[c] == label[a];
      }
      sum += own / all;
      ++pairs;
    }
  }
  if (pairs == 0) return std::nullopt;
  return sum / pairs;
}

TEST(DendrogramPurity, IsTheMeanOverPairs) {
  Rng rng(3);
  for (int trial = 0; trial < 30; ++trial) {
    std::vector<uint32_t> parent{0};
    for (uint32_t n = 1; n < 12; ++n) parent.push_back(static_cast<uint32_t>(rng.below(n)));
    std::vector<uint32_t> node;
    std::vector<uint32_t> label;
    for (int i = 0; i < 25; ++i) {
      node.push_back(static_cast<uint32_t>(rng.below(12)));
      label.push_back(static_cast<uint32_t>(rng.below(4)));
    }
    EXPECT_NEAR(*dendrogram_purity(parent, node, label), *purity_by_pairs(parent, node, label),
                1e-12);
  }
}

TEST(DendrogramPurity, OfPureAndOfFlatTrees) {
  const std::vector<uint32_t> parent{0, 0, 0};
  EXPECT_EQ(dendrogram_purity(parent, std::vector<uint32_t>{1, 1, 2, 2},
                              std::vector<uint32_t>{7, 7, 9, 9}),
            1.0);
  EXPECT_EQ(dendrogram_purity(parent, std::vector<uint32_t>{0, 0, 0, 0},
                              std::vector<uint32_t>{7, 7, 9, 9}),
            0.5);
  EXPECT_EQ(dendrogram_purity(parent, std::vector<uint32_t>{1, 2}, std::vector<uint32_t>{1, 2}),
            std::nullopt);
  EXPECT_EQ(dendrogram_purity(parent, {}, {}), std::nullopt);
}

}  // namespace
}  // namespace kith::evaluate
