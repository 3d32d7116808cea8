// Bags down the tree of a run that they are not of.
#include "kith/topic_routes.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kith/pipeline.h"
#include "kith/topics.h"

#include "support/temp_dir.h"
#include "unit/api/run_tables.h"

namespace kith::distributed {
namespace {

using testing::Each;
using testing::HasSubstr;

class TopicRoutesTest : public testing::Test {
 protected:
  TopicRoutesTest() {
    test::write_file(dir_ / "pages.jsonl", test::three_topics());
    ClusterOptions options;
    options.inputs = {dir_ / "pages.jsonl"};
    options.output = dir_ / "run";
    options.bags = BagKind::content;
    options.boilerplate = Boilerplate::keep;
    EXPECT_TRUE(cluster_crawl(options));
    const test::RunTables tables(dir_ / "run");
    for (uint32_t id = 0; id < tables.urls.size(); ++id) {
      const std::vector<uint64_t> bag = tables.entries(id);
      entries_.insert(entries_.end(), bag.begin(), bag.end());
      offsets_.push_back(entries_.size());
    }
  }
  // The topic of every page, where topics of at most so many pages are not opened.
  std::vector<uint32_t> topics(uint64_t most_pages) const {
    const auto directions = topic_directions(dir_ / "run", most_pages);
    const auto routes = TopicRoutes::make(*directions);
    return *routes->find({offsets_, entries_});
  }

  const test::TempDir dir_;
  std::vector<uint64_t> offsets_ = {0};
  std::vector<uint64_t> entries_;
};

TEST_F(TopicRoutesTest, PagesOfTheRunGoBackToTheirLeaf) {
  const auto tree = TopicTree::open(dir_ / "run");
  const std::vector<uint32_t> found = topics(0);
  size_t in_leaf = 0;
  size_t back = 0;
  for (UrlId id = 0; id < found.size(); ++id) {
    EXPECT_EQ(tree->topic(found[id]).children, 0);
    const auto leaf = *tree->leaf_of(id);
    in_leaf += leaf.has_value() ? 1 : 0;
    back += leaf == found[id] ? 1 : 0;
  }
  EXPECT_EQ(in_leaf, 149);
  EXPECT_GE(back, 140);
}

TEST_F(TopicRoutesTest, TopicsOfFewPagesAreNotOpened) {
  const auto tree = TopicTree::open(dir_ / "run");
  const std::vector<uint32_t> leaves = topics(0);
  const std::vector<uint32_t> ends = topics(100);
  for (size_t i = 0; i < ends.size(); ++i) {
    const Topic end = tree->topic(ends[i]);
    EXPECT_LE(end.pages, 100);
    EXPECT_GT(tree->topic(end.parent).pages, 100);
    EXPECT_EQ(tree->path(leaves[i]).substr(0, end.path.size()), end.path);
  }
  EXPECT_THAT(topics(149), Each(0));
}

TEST_F(TopicRoutesTest, NamesABagThatIsNone) {
  const auto routes = TopicRoutes::make(*topic_directions(dir_ / "run", 0));
  const std::vector<uint64_t> entries = {7};
  const std::vector<uint64_t> offsets = {0, 0, 1};
  const auto found = routes->find({offsets, entries});
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("bag 1: "));
  const std::vector<uint64_t> outside = {0, 9};
  EXPECT_FALSE(routes->find({outside, entries}));
}

TEST_F(TopicRoutesTest, RefusesWhatIsNoTree) {
  const TopicDirections good = *topic_directions(dir_ / "run", 0);
  ASSERT_GT(good.numbers.size(), 3);
  const auto is_refused = [&](auto change) {
    TopicDirections bad = good;
    change(bad);
    const auto made = TopicRoutes::make(bad);
    return !made && made.error().kind == ErrorKind::usage;
  };
  EXPECT_FALSE(is_refused([](TopicDirections&) {}));
  EXPECT_TRUE(is_refused([](TopicDirections& bad) { bad = {}; }));
  EXPECT_TRUE(is_refused([](TopicDirections& bad) { bad.first_child[0] = 0; }));
  EXPECT_TRUE(is_refused([](TopicDirections& bad) { ++bad.children.back(); }));
  EXPECT_TRUE(is_refused([](TopicDirections& bad) { bad.children.pop_back(); }));
  EXPECT_TRUE(is_refused([](TopicDirections& bad) { bad.values.pop_back(); }));
  EXPECT_TRUE(is_refused([](TopicDirections& bad) { bad.values[0] = std::nanf(""); }));
  EXPECT_TRUE(is_refused([](TopicDirections& bad) { bad.offsets[1] = bad.offsets.back() + 1; }));
}

TEST_F(TopicRoutesTest, SaysThatARunHasNoTopics) {
  ClusterOptions options;
  options.inputs = {dir_ / "run"};
  options.output = dir_ / "flat";
  options.topics = TopicGraph::none;
  ASSERT_TRUE(cluster_crawl(options));
  const auto directions = topic_directions(dir_ / "flat", 0);
  ASSERT_FALSE(directions);
  EXPECT_THAT(directions.error().message, HasSubstr("has no topics"));
}

}  // namespace
}  // namespace kith::distributed
