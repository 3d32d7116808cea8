#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "sketch/lsh/growing_tables.h"

namespace kith::sketch {
namespace {

constexpr uint32_t lanes = 64;
using Signature = std::vector<uint16_t>;

TableParams params() {
  TableParams params;
  params.lanes = lanes;
  params.per_key = 4;
  params.tables = 12;
  return params;
}

// A signature with some other lanes.
Signature like(const Signature& base, uint32_t others, Rng& rng) {
  Signature signature = base;
  for (uint32_t i = 0; i < others; ++i) {
    signature[rng.below(lanes)] = static_cast<uint16_t>(rng.below(1 << 16));
  }
  return signature;
}

// The ids that share a key, by comparing all keys.
std::vector<uint32_t> twin(const Tables& tables, const std::vector<Signature>& all,
                           const Signature& asked) {
  std::vector<uint32_t> ids;
  for (uint32_t id = 0; id < all.size(); ++id) {
    bool meets = false;
    for (uint32_t table = 0; table < tables.params().tables; ++table) {
      meets |= tables.key(table, all[id]) == tables.key(table, asked);
    }
    if (meets) ids.push_back(id);
  }
  return ids;
}

TEST(BoundedTables, FindAllWhoShareAKeyWhereFewDo) {
  Rng rng(1);
  BoundedTables tables(params());
  const Tables keys(params());
  std::vector<Signature> all;
  std::vector<uint32_t> found;
  for (int i = 0; i < 2000; ++i) {
    const Signature signature =
        all.empty() || i % 3 == 0
            ? like(Signature(lanes), 10 * lanes, rng)
            : like(all[rng.below(all.size())], static_cast<uint32_t>(rng.below(30)), rng);
    tables.find(signature, 256, found);
    ASSERT_EQ(found, twin(keys, all, signature));
    tables.add(signature);
    all.push_back(signature);
  }
  EXPECT_EQ(tables.size(), 2000u);
}

TEST(BoundedTables, FindTheMostSimilarOnesAmongAnyNumber) {
  Rng rng(2);
  BoundedTables tables(params());
  const Signature base = like(Signature(lanes), 10 * lanes, rng);
  std::vector<Signature> all;
  for (int i = 0; i < 6000; ++i) {
    all.push_back(like(base, 16, rng));
    tables.add(all.back());
  }
  std::vector<uint32_t> found;
  int near_found = 0;
  for (int i = 0; i < 200; ++i) {
    const auto id = static_cast<uint32_t>(rng.below(all.size()));
    tables.find(all[id], 256, found);
    EXPECT_LE(found.size(), 257u);
    EXPECT_TRUE(std::ranges::is_sorted(found));
    EXPECT_EQ(std::set(found.begin(), found.end()).size(), found.size());
    EXPECT_TRUE(std::ranges::binary_search(found, id)) << "the same signature";
    tables.find(like(all[id], 3, rng), 256, found);
    near_found += std::ranges::binary_search(found, id) ? 1 : 0;
  }
  EXPECT_GT(near_found, 150);
}

TEST(BoundedTables, FindAllWithoutALimit) {
  Rng rng(3);
  BoundedTables tables(params(), BoundedTables::no_limit);
  const Tables keys(params());
  const Signature base = like(Signature(lanes), 10 * lanes, rng);
  std::vector<Signature> all;
  for (int i = 0; i < 1500; ++i) {
    all.push_back(like(base, 8, rng));
    tables.add(all.back());
  }
  std::vector<uint32_t> found;
  for (int i = 0; i < 20; ++i) {
    const Signature asked = like(base, 8, rng);
    tables.find(asked, SIZE_MAX, found);
    EXPECT_EQ(found, twin(keys, all, asked));
  }
  EXPECT_GT(found.size(), 500u);
}

}  // namespace
}  // namespace kith::sketch
