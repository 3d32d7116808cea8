#include "cluster/labels.h"

#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/leader/index.h"
#include "cluster/order.h"
#include "support/memory_file_system.h"
#include "support/untouchable.h"
#include "unit/cluster/collection.h"

namespace kith::cluster {
namespace {

using test::Words;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<uint32_t> terms_of(std::span<const Label> labels) {
  std::vector<uint32_t> terms;
  for (const Label& label : labels) terms.push_back(label.term);
  return terms;
}

// Of rows that lie in memory, or, with `part_bytes`, in files.
ClusterLabels labels_of(const BagCollection& bags, const ClusterLists& lists,
                        std::span<const uint32_t> frequency, const LabelOptions& options,
                        ThreadPool& pool, uint64_t part_bytes = 0) {
  uint64_t documents = 0;
  for (size_t id = 0; id < bags.size(); ++id) documents += !bags[id].empty();
  kith::test::MemoryFileSystem fs;
  const RowSpill spill = part_bytes == 0 ? RowSpill{} : RowSpill{&fs, "rows", part_bytes};
  const auto members = lists.ids().first(lists.offsets()[lists.groups()]);
  auto rows = OrderedRows::make(bags, {}, members, spill);
  return label_clusters(rows.value(), lists, frequency, documents, options, pool).value();
}

// Labels of the clusters {0, 1, ..., size - 1}, {size}, {size + 1}, ...
ClusterLabels label_first(const std::vector<Words>& bags, uint32_t size,
                          const LabelOptions& options = {}) {
  Clustering clustering(bags.size());
  for (uint32_t id = 0; id < bags.size(); ++id) {
    clustering.make_center(id);
    if (id > 0 && id < size) clustering.join(id, 0, 1);
  }
  const auto owned = test::bags_of(bags);
  ThreadPool pool(2);
  const auto frequency = count_document_frequencies(owned.view(), 100, pool);
  return labels_of(owned.view(), ClusterLists(clustering, pool), frequency, options, pool);
}

// The first row of table 1 of Dunning (1993): "the swiss".
TEST(LogLikelihoodRatio, DunningsTable) {
  EXPECT_NEAR(log_likelihood_ratio(110, 110 + 2442, 111, 111 + 29114), 270.72, 0.005);
}

TEST(LogLikelihoodRatio, ByHand) {
  // 2 of 2 against 0 of 2: 2 * (4 ln 4 - 2 ln 2 - 2 ln 2) = 8 ln 2.
  EXPECT_NEAR(log_likelihood_ratio(2, 2, 0, 2), 8 * std::log(2), 1e-12);
  EXPECT_NEAR(log_likelihood_ratio(1, 2, 10, 20), 0, 1e-12);  // no surprise
  EXPECT_EQ(log_likelihood_ratio(3, 3, 0, 0), 0);             // nothing to compare with
  EXPECT_EQ(log_likelihood_ratio(0, 0, 0, 0), 0);
}

TEST(LogLikelihoodRatio, GrowsWithTheShareInside) {
  for (uint64_t inside = 2; inside <= 10; ++inside) {
    EXPECT_GT(log_likelihood_ratio(inside, 10, 100, 1000),
              log_likelihood_ratio(inside - 1, 10, 100, 1000));
  }
}

TEST(Frequencies, CountBags) {
  const auto owned = test::bags_of(std::vector<Words>{{{1, 1.0}, {4, 2.0}}, {}, {{4, 1.0}}});
  for (const unsigned threads : {1u, 3u}) {
    ThreadPool pool(threads);
    EXPECT_THAT(count_document_frequencies(owned.view(), 6, pool), ElementsAre(0, 1, 0, 0, 2, 0));
  }
}

// 7 is everywhere, 1 in both members and nowhere else, 2 in both and outside, 3 in one.
TEST(Labels, SetTheClusterApart) {
  const std::vector<Words> bags{{{1, 1.0}, {2, 1.0}, {7, 9.0}},
                                {{1, 1.0}, {2, 1.0}, {3, 1.0}, {7, 9.0}},
                                {{2, 1.0}, {7, 9.0}},
                                {{7, 9.0}},
                                {{7, 9.0}, {8, 1.0}}};
  const ClusterLabels labels = label_first(bags, 2);
  ASSERT_EQ(labels.size(), 4u);
  EXPECT_THAT(terms_of(labels[0]), ElementsAre(1, 2, 3, 7));
  EXPECT_FLOAT_EQ(labels[0][0].score, static_cast<float>(log_likelihood_ratio(2, 2, 0, 3)));
  EXPECT_EQ(labels[0][0].members, 2u);
  EXPECT_EQ(labels[0][2].members, 1u);
  EXPECT_THAT(labels[1], IsEmpty());  // a single
  EXPECT_THAT(terms_of(label_first(bags, 2, {.most = 2})[0]), ElementsAre(1, 2));
  EXPECT_THAT(label_first(bags, 2, {.most = 0})[0], IsEmpty());
}

TEST(Labels, NeedAShareOfTheMembers) {
  std::vector<Words> bags(10, Words{{1, 1.0}});
  for (uint32_t id = 0; id < 10; ++id) {
    if (id < 3) bags[id].emplace_back(2, 1.0);  // 3 of 10: just enough
    if (id < 2) bags[id].emplace_back(3, 1.0);
  }
  bags.push_back({{9, 1.0}});
  EXPECT_THAT(terms_of(label_first(bags, 10)[0]), ElementsAre(1, 2));
  EXPECT_THAT(terms_of(label_first(bags, 10, {.min_share = 0})[0]), ElementsAre(1, 2, 3));
  EXPECT_THAT(terms_of(label_first(bags, 10, {.min_share = 1})[0]), ElementsAre(1));
}

TEST(Labels, AreNotRarerInsideThanOutside) {
  const std::vector<Words> bags{
      {{1, 1.0}, {2, 1.0}}, {{1, 1.0}}, {{2, 1.0}}, {{2, 1.0}}, {{2, 1.0}, {3, 1.0}}};
  EXPECT_THAT(terms_of(label_first(bags, 2)[0]), ElementsAre(1));
}

TEST(Labels, TieByWeightThenById) {
  const std::vector<Words> bags{
      {{1, 1.0}, {2, 5.0}, {3, 1.0}}, {{1, 1.0}, {2, 5.0}, {3, 1.0}}, {{9, 1.0}}};
  EXPECT_THAT(terms_of(label_first(bags, 2)[0]), ElementsAre(2, 1, 3));
}

// With no other bags, nothing surprises: the heaviest terms remain.
TEST(Labels, OfACollectionInOneCluster) {
  const std::vector<Words> bags(4, Words{{1, 1.0}, {2, 5.0}});
  const ClusterLabels labels = label_first(bags, 4);
  EXPECT_THAT(terms_of(labels[0]), ElementsAre(2, 1));
  EXPECT_EQ(labels[0][0].score, 0);
}

TEST(Labels, AreTheSameForAnyNumberOfThreadsAndParts) {
  const auto owned = kith::test::random_bags({.bags = 2000, .words = 15, .topics = 30});
  ThreadPool one(1);
  const Clustering clustering =
      test::exact_leaders(owned.view(), order_by_id(2000), {.min_sum = min_sum_of_minima(0.1)}, one)
          .clustering;
  const ClusterLists lists(clustering, one);
  ASSERT_GT(lists.groups(), 50u);
  const auto frequency = count_document_frequencies(owned.view(), 20000, one);
  // Bags of a file, no page of which may be touched while they are counted or dealt out.
  const auto entries = owned.view().entries();
  const kith::test::Untouchable<BagEntry> mapping({entries.begin(), entries.end()});
  const BagCollection in_memory = owned.view();
  const BagCollection mapped(owned.view().offsets(), mapping.span(), &mapping);
  const ClusterLabels expected = labels_of(owned.view(), lists, frequency, {}, one);
  for (const unsigned threads : {2u, 5u}) {
    ThreadPool pool(threads);
    EXPECT_EQ(frequency, count_document_frequencies(owned.view(), 20000, pool));
    EXPECT_EQ(frequency, count_document_frequencies(mapped, 20000, pool));
    // Parts that hold less than a cluster, some clusters, and all of them.
    for (const uint64_t part_bytes : {0u, 300u, 5'000u, 60'000u, 1u << 30}) {
      const BagCollection& bags = part_bytes == 0 ? in_memory : mapped;
      const ClusterLabels labels = labels_of(bags, lists, frequency, {}, pool, part_bytes);
      for (size_t i = 0; i < lists.size(); ++i) {
        ASSERT_TRUE(std::ranges::equal(labels[i], expected[i])) << i << ", " << part_bytes;
      }
    }
  }
}

}  // namespace
}  // namespace kith::cluster
