#include "cluster/clustering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kith::cluster {
namespace {

using ::testing::ElementsAre;

ClusterLists lists_of(const Clustering& clustering) {
  ThreadPool pool(2);
  return {clustering, pool};
}

TEST(ClusterLists, OfNothing) {
  const ClusterLists lists = lists_of(Clustering(0));
  EXPECT_EQ(lists.size(), 0u);
  EXPECT_EQ(lists.largest(), 0u);
  EXPECT_EQ(lists.singles(), 0u);
  EXPECT_EQ(lists.groups(), 0u);
}

TEST(ClusterLists, LargestFirstThenByCenter) {
  Clustering clustering(9);
  for (const uint32_t center : {1u, 3u, 6u, 8u}) clustering.make_center(center);
  clustering.join(0, 6, 10);
  clustering.join(2, 3, 5);
  clustering.join(4, 6, 20);
  clustering.join(5, 1, 5);
  // 7 has no center.
  const ClusterLists lists = lists_of(clustering);
  ASSERT_EQ(lists.size(), 4u);
  EXPECT_THAT(lists[0], ElementsAre(6, 4, 0));
  EXPECT_THAT(lists[1], ElementsAre(1, 5));
  EXPECT_THAT(lists[2], ElementsAre(3, 2));
  EXPECT_THAT(lists[3], ElementsAre(8));
  EXPECT_EQ(lists.center(2), 3u);
  EXPECT_EQ(lists.largest(), 3u);
  EXPECT_EQ(lists.singles(), 1u);
  EXPECT_EQ(lists.groups(), 3u);
}

TEST(ClusterLists, MembersBySimilarityThenId) {
  Clustering clustering(4);
  clustering.make_center(3);
  for (const uint32_t id : {2u, 1u, 0u}) clustering.join(id, 3, id == 0 ? 7 : 8);
  EXPECT_THAT(lists_of(clustering)[0], ElementsAre(3, 1, 2, 0));
}

TEST(ClusterLists, AllSingles) {
  Clustering clustering(3);
  for (uint32_t id = 0; id < 3; ++id) clustering.make_center(id);
  const ClusterLists lists = lists_of(clustering);
  EXPECT_EQ(lists.singles(), 3u);
  EXPECT_EQ(lists.groups(), 0u);
  EXPECT_EQ(lists.largest(), 1u);
  EXPECT_THAT(lists[2], ElementsAre(2));
}

}  // namespace
}  // namespace kith::cluster
