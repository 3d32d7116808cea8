// Bags that come to one machine in pieces, beside cluster_bags().
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kith/cluster_bags.h"
#include "kith/cluster_steps.h"

#include "support/random_bags.h"
#include "unit/api/families.h"

namespace kith::distributed {
namespace {

// In an order other than that in which they come, without those that it leaves out.
TEST(GatheredBags, HaveTheClustersOfOneMachine) {
  test::OwnedBags families = test::random_bags({.bags = 200, .topics = 8, .seed = 12});
  test::add_family(families, 300, 1'000'000, 40, 8);
  const uint32_t size = static_cast<uint32_t>(families.size());
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < size; ++i) {
    if (i % 10 != 3) order.push_back(i * 167 % size);
  }
  test::OwnedBags ordered;
  for (const uint32_t place : order) ordered.add_copy(families[place]);
  for (const Assign assign : {Assign::first, Assign::best}) {
    SimilarityOptions options{.engine = EngineChoice::lsh, .assign = assign};
    const ClusterSteps steps = *ClusterSteps::make(options);
    const BagFeatures all = *steps.features(test::bags_of(families));
    const std::span<const uint64_t> offsets = all.offsets;
    GatheredBags gathered = *steps.gather();
    EXPECT_TRUE(gathered.add({offsets.first(101), all.entries}));
    const std::vector<uint64_t> beyond = {offsets[30], all.entries.size() + 1};
    EXPECT_FALSE(gathered.add({beyond, all.entries}));
    EXPECT_TRUE(gathered.add({offsets.subspan(100), all.entries}));
    EXPECT_EQ(gathered.size(), size);
    const BagClusters found = *std::move(gathered).cluster(order);
    const BagClusters expected = *cluster_bags(test::bags_of(ordered), options);
    EXPECT_EQ(found.center, expected.center);
    EXPECT_EQ(found.similarity, expected.similarity);
    EXPECT_EQ(found.threshold.similarity, expected.threshold.similarity);
    EXPECT_EQ(found.engine.reason, expected.engine.reason);
  }
}

TEST(GatheredBags, MayBeNone) {
  const ClusterSteps steps = *ClusterSteps::make();
  EXPECT_TRUE(steps.gather(10)->size() == 0);
  EXPECT_EQ((*steps.gather()).cluster({})->center, std::vector<uint32_t>());
  const std::vector<uint32_t> order = {0};
  EXPECT_FALSE((*steps.gather()).cluster(order));
}

}  // namespace
}  // namespace kith::distributed
