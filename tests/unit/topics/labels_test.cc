#include "topics/labels.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/labels.h"
#include "unit/topics/collection.h"

namespace kith::topics {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Words = std::vector<std::pair<uint32_t, double>>;

// Labels of groups of bags; hosts and words as label_groups() takes them.
std::vector<std::vector<uint32_t>> labels_of(
    const std::vector<Words>& bags, const std::vector<uint32_t>& group, uint32_t groups,
    const std::vector<uint32_t>& hosts, std::vector<bool> words = std::vector<bool>(100, true),
    const std::vector<std::pair<uint32_t, float>>& direction = {}) {
  kith::test::OwnedBags owned;
  for (const Words& bag : bags) owned.add(bag);
  ThreadPool pool(2);
  const Nodes nodes = make_nodes(owned.view(), similar::no_duplicates(bags.size()));
  std::vector<uint32_t> topic(bags.size());
  std::iota(topic.begin(), topic.end(), 0u);
  VectorRoom room(100);
  const auto vectors = TopicVectors::copy(owned.view(), nodes, topic, room, pool);
  TermMatrix<float> directions(vectors.terms(), groups);
  for (uint32_t term = 0; term < vectors.terms(); ++term) {
    for (const auto& [id, value] : direction) {
      if (id == vectors.term_id(term)) directions[term][0] = value;
    }
  }
  return label_groups(vectors, group, directions, words, hosts, 3, pool);
}

// Four pages of each of two groups: 50 stands on all, 10 on the first, 20 on the second, 30 on
// three of the first and one of the second, 40 on two of the first.
const std::vector<Words> two_groups{{{50, 1.0}, {10, 1.0}, {30, 1.0}, {40, 1.0}},
                                    {{50, 1.0}, {10, 1.0}, {30, 1.0}, {40, 1.0}},
                                    {{50, 1.0}, {10, 1.0}, {30, 1.0}},
                                    {{50, 1.0}, {10, 1.0}},
                                    {{50, 1.0}, {20, 1.0}, {30, 1.0}},
                                    {{50, 1.0}, {20, 1.0}},
                                    {{50, 1.0}, {20, 1.0}},
                                    {{50, 1.0}, {20, 1.0}}};
const std::vector<uint32_t> group_of{0, 0, 0, 0, 1, 1, 1, 1};
const std::vector<uint32_t> one_host(8, 0);

TEST(TopicLabels, TellAGroupFromItsSiblings) {
  EXPECT_THAT(labels_of(two_groups, group_of, 2, one_host),
              ElementsAre(ElementsAre(10, 30), ElementsAre(20)));
}

TEST(TopicLabels, AreWordsThatMayBeLabels) {
  std::vector<bool> words(100, true);
  words[10] = false;
  EXPECT_THAT(labels_of(two_groups, group_of, 2, one_host, words),
              ElementsAre(ElementsAre(30), ElementsAre(20)));
}

TEST(TopicLabels, StandOnTwoHostsWhereThereAreTwo) {
  // Word 30 of the first group is on one host only.
  const std::vector<uint32_t> hosts{1, 1, 1, 2, 3, 3, 3, 3};
  EXPECT_THAT(labels_of(two_groups, group_of, 2, hosts),
              ElementsAre(ElementsAre(10), ElementsAre(20)));
}

TEST(TopicLabels, OfGroupsThatNothingTellsApart) {
  const std::vector<Words> bags(8, Words{{1, 1.0}, {2, 1.0}});
  EXPECT_THAT(labels_of(bags, group_of, 2, one_host), ElementsAre(IsEmpty(), IsEmpty()));
}

TEST(TopicLabels, OfADirectionWhereNoWordStandsOnMorePages) {
  std::vector<bool> words(100, true);
  words[4] = false;
  const std::vector<Words> bags(8, Words{{1, 1.0}, {2, 1.0}, {3, 1.0}, {4, 1.0}, {5, 1.0}});
  EXPECT_THAT(labels_of(bags, group_of, 2, one_host, words,
                        {{1, 0.1f}, {2, 0.3f}, {3, -0.2f}, {4, 0.9f}, {5, 0.1f}}),
              ElementsAre(ElementsAre(2, 1, 5), IsEmpty()));
}

}  // namespace
}  // namespace kith::topics
