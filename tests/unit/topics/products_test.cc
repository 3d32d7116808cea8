#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "topics/vectors.h"

namespace kith::topics {
namespace {

// For every number of groups, since some are multiplied together.
TEST(Products, AreSumsInOrder) {
  constexpr uint32_t terms = 300;
  Rng rng(5);
  std::vector<Coordinate> vector;
  for (uint32_t term = 0; term < terms; term += 1 + static_cast<uint32_t>(rng.below(4))) {
    vector.push_back({term, 1 + static_cast<uint32_t>(rng.below(1 << 24))});
  }
  for (size_t groups = 1; groups <= 30; ++groups) {
    TermMatrix<float> directions(terms, groups);
    for (uint32_t term = 0; term < terms; ++term) {
      for (float& value : directions[term]) {
        value = static_cast<float>(rng.below(1'000'000)) / 1e6f - 0.5f;
      }
    }
    std::vector<double> expected(groups);
    for (const Coordinate& c : vector) {
      for (size_t g = 0; g < groups; ++g) {
        expected[g] += as_double(c.value) * static_cast<double>(directions[c.term][g]);
      }
    }
    std::vector<double> products(groups + product_lanes, 7);
    set_products(vector, directions, products);
    products.resize(groups);
    EXPECT_EQ(products, expected) << groups << " groups";
  }
}

}  // namespace
}  // namespace kith::topics
