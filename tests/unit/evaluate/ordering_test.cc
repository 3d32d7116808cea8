#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/random.h"
#include "evaluate/agreement.h"

namespace kith::evaluate {
namespace {

TEST(FamilialDistance, OfOneClass) {
  LabelTree tree;
  const std::vector genes{tree.add("Science/Biology/Genes")};
  const auto distance = [&](std::string_view other) {
    return familial_distance(tree, genes, std::vector{tree.add(other)});
  };
  EXPECT_EQ(distance("Science/Biology/Genes"), 0u);
  EXPECT_EQ(distance("Science/Biology/Genes/Maps"), 0u);  // the class dominates it
  EXPECT_EQ(distance("Science/Biology/Cells"), 1u);
  EXPECT_EQ(distance("Science/Biology"), 1u);
  EXPECT_EQ(distance("Science/Physics/Optics"), 2u);
  EXPECT_EQ(distance("Arts/Biology/Genes"), unrelated);
}

TEST(FamilialDistance, OfSeveralClassesIsTheLeast) {
  LabelTree tree;
  const std::vector page{tree.add("Arts"), tree.add("Science/Biology/Genes")};
  EXPECT_EQ(familial_distance(tree, page, std::vector{tree.add("Science/Physics")}), 2u);
  const std::vector both{tree.add("Science/Physics"), tree.add("Arts/Film")};
  EXPECT_EQ(familial_distance(tree, page, both), 0u);
}

// Distances 0, 1, 0, unrelated by descending similarity, the last two equally similar. Ordered
// pairs: (0, 1) agrees, (0, u) agrees, (1, 0) disagrees, (1, u) agrees; both zeros are tied, and
// so are the last two.
TEST(OrderCounter, ByHand) {
  OrderCounter counter;
  counter.add(std::vector<RankedItem>{{0.9, 0}, {0.8, 1}, {0.5, 0}, {0.5, unrelated}});
  const FamilialOrder order = counter.order();
  EXPECT_EQ(order.all.agree, 3u);
  EXPECT_EQ(order.all.disagree, 1u);
  EXPECT_DOUBLE_EQ(order.all.gamma.value(), 0.5);
  EXPECT_DOUBLE_EQ(order.sibling.gamma.value(), 0);
  EXPECT_FALSE(order.cousin.gamma);
  EXPECT_DOUBLE_EQ(order.unrelated.gamma.value(), 1);
}

TEST(OrderCounter, AddsUpLists) {
  OrderCounter counter;
  counter.add({});
  EXPECT_FALSE(counter.order().all.gamma);
  counter.add(std::vector<RankedItem>{{0.9, 0}, {0.8, 2}});
  counter.add(std::vector<RankedItem>{{0.9, 2}, {0.8, 0}, {0.7, 2}});
  EXPECT_EQ(counter.order().cousin.agree, 2u);
  EXPECT_EQ(counter.order().cousin.disagree, 1u);
}

RC_GTEST_PROP(OrderCounter, CountsEveryPair, ()) {
  Rng rng(*rc::gen::arbitrary<uint64_t>());
  std::vector<RankedItem> list(*rc::gen::inRange<size_t>(0, 40));
  for (RankedItem& item : list) {
    item.similarity = static_cast<double>(rng.below(10)) / 10;
    item.distance = static_cast<uint32_t>(rng.below(4));
    if (item.distance == 3) item.distance = unrelated;
  }
  std::ranges::sort(list, std::greater(), &RankedItem::similarity);
  uint64_t agree = 0;
  uint64_t disagree = 0;
  for (const RankedItem& a : list) {
    for (const RankedItem& b : list) {
      if (a.similarity <= b.similarity) continue;
      agree += a.distance < b.distance ? 1 : 0;
      disagree += a.distance > b.distance ? 1 : 0;
    }
  }
  OrderCounter counter;
  counter.add(list);
  RC_ASSERT(counter.order().all.agree == agree);
  RC_ASSERT(counter.order().all.disagree == disagree);
}

// Lists 1 0 and 1 1 1 0 0 0: P@1 is 1; P@5 is (1/2 + 3/5) / 2; P@10 is (1/2 + 3/6) / 2.
TEST(PrecisionCounter, ShortListsCountAsFarAsTheyGo) {
  PrecisionCounter counter;
  counter.add(std::vector<uint8_t>{1, 0});
  counter.add(std::vector<uint8_t>{1, 1, 1, 0, 0, 0});
  counter.add({});
  const RankingPrecision ranking = counter.precision();
  EXPECT_EQ(ranking.pages, 2u);
  EXPECT_EQ(ranking.without, 1u);
  ASSERT_EQ(ranking.at.size(), 4u);
  EXPECT_DOUBLE_EQ(ranking.at[0].precision.value(), 1);
  EXPECT_DOUBLE_EQ(ranking.at[1].precision.value(), 0.55);
  EXPECT_DOUBLE_EQ(ranking.at[2].precision.value(), 0.5);
  EXPECT_EQ(ranking.at[0].full, 2u);
  EXPECT_EQ(ranking.at[1].full, 1u);
  EXPECT_EQ(ranking.at[2].full, 0u);
}

TEST(PrecisionCounter, NothingWithoutLists) {
  PrecisionCounter counter;
  counter.add({});
  EXPECT_FALSE(counter.precision().at[0].precision);
}

}  // namespace
}  // namespace kith::evaluate
