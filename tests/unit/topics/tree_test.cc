#include "topics/tree.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluate/agreement.h"
#include "support/memory_file_system.h"
#include "topics/topic_file.h"
#include "unit/topics/collection.h"

namespace kith::topics {
namespace {

using topics::test::Collection;

std::string file_of(const Collection& collection, const Tree& tree) {
  kith::test::MemoryFileSystem fs;
  EXPECT_TRUE(write_topics(fs, "topics", tree, collection.nodes()).is_ok());
  const auto file = fs.map("topics").value();
  const auto bytes = file->bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Tree, FindsPlantedTopicsAtTheFirstLevel) {
  const Collection collection(800, 5);
  const Tree tree = collection.tree();
  std::vector<uint32_t> found;
  std::vector<uint32_t> planted;
  for (uint32_t t = 0; t < tree.topics[0].children; ++t) {
    const Topic& topic = tree.topics[tree.topics[0].first_child + t];
    for (uint64_t i = topic.begin; i < topic.end; ++i) {
      found.push_back(t);
      planted.push_back(collection.planted()[collection.nodes().page[tree.nodes[i]]]);
    }
  }
  EXPECT_EQ(found.size(), collection.nodes().size());
  EXPECT_GT(evaluate::measure_agreement(found, planted).ari, 0.95);
}

TEST(Tree, IsNestedAndNobodyIsAlone) {
  const Collection collection(600, 6, 3);
  const Tree tree = collection.tree();
  ASSERT_GT(tree.topics.size(), 6u);
  std::set<uint32_t> nodes(tree.nodes.begin(), tree.nodes.end());
  EXPECT_EQ(nodes.size(), collection.nodes().size());
  for (uint32_t t = 0; t < tree.topics.size(); ++t) {
    const Topic& topic = tree.topics[t];
    EXPECT_GE(topic.pages, 3u);
    EXPECT_GT(topic.cohesion, 0);
    EXPECT_LE(topic.cohesion, 1 + 1e-6);
    uint64_t at = topic.begin;
    uint64_t pages = 0;
    for (uint32_t c = topic.first_child; c < topic.first_child + topic.children; ++c) {
      EXPECT_EQ(tree.topics[c].parent, t);
      EXPECT_EQ(tree.topics[c].depth, topic.depth + 1);
      EXPECT_EQ(tree.topics[c].begin, at);
      EXPECT_TRUE(c == topic.first_child || tree.topics[c].pages <= tree.topics[c - 1].pages);
      at = tree.topics[c].end;
      pages += tree.topics[c].pages;
    }
    if (topic.children == 0) continue;
    EXPECT_GE(topic.children, 2u);
    EXPECT_EQ(at, topic.end);
    EXPECT_EQ(pages, topic.pages);
  }
}

TEST(Tree, HasTheSameBytesForAnyThreadsAndMemory) {
  const Collection collection(700, 5, 5);
  const std::string expected = file_of(collection, collection.tree(1));
  EXPECT_EQ(file_of(collection, collection.tree(3)), expected);
  TreeOptions all_together;
  all_together.max_alone = 40;
  EXPECT_EQ(file_of(collection, collection.tree(3, UINT64_MAX, all_together)), expected);
  // Without room for copies vectors are made anew.
  EXPECT_EQ(file_of(collection, collection.tree(1, 0, all_together)), expected);
  EXPECT_EQ(file_of(collection, collection.tree(2, 0, all_together)), expected);
  // Without room for means they are made term by term.
  TreeOptions by_term = all_together;
  by_term.join_alone = by_term.join_bytes = 0;
  EXPECT_EQ(file_of(collection, collection.tree(2, 0, by_term)), expected);
}

// Groups are large or small beside the pages of the communities that are joined, not beside all.
TEST(Tree, IsFoundWhereMostPagesAreInCommunitiesThatAreNotJoined) {
  const Collection collection(800, 5);
  TreeOptions options;
  options.resolution = 100;
  options.max_communities = 10;
  options.group_share_root = 5;
  const Tree tree = collection.tree(1, UINT64_MAX, options);
  ASSERT_GT(tree.communities, 50u);
  EXPECT_GE(tree.topics[0].children, 2u);
}

// What makes one group of the largest communities says nothing of others.
TEST(Tree, IsFoundWhereTheCommunitiesThatAreJoinedAreOneGroup) {
  const Collection collection(800, 5);
  TreeOptions options;
  options.resolution = 100;
  options.min_gain_root = -100;  // any two groups are alike
  options.group_share_root = 2;  // one of two groups dissolves
  EXPECT_EQ(collection.tree(1, UINT64_MAX, options).topics[0].children, 0u);
  options.max_communities = 10;
  const Tree tree = collection.tree(1, UINT64_MAX, options);
  EXPECT_GE(tree.topics[0].children, 2u);
  EXPECT_LE(tree.topics[0].children, options.max_groups);
}

TEST(Tree, OfCollectionsThatHaveNoTopics) {
  const auto tree_of = [](const std::vector<std::vector<std::pair<uint32_t, double>>>& bags) {
    kith::test::OwnedBags owned;
    for (const auto& bag : bags) owned.add(bag);
    const Collection collection(std::move(owned));
    const Tree tree = collection.tree();
    const std::string bytes = file_of(collection, tree);
    kith::test::MemoryFileSystem fs;
    fs.put("topics", bytes);
    EXPECT_TRUE(TopicFile::open(fs, "topics").is_ok());
    return tree;
  };
  EXPECT_EQ(tree_of({}).topics.size(), 1u);
  EXPECT_EQ(tree_of({{}, {}}).topics[0].pages, 0u);
  EXPECT_EQ(tree_of({{{1, 1.0}}}).topics[0].pages, 1u);
  const std::vector<std::vector<std::pair<uint32_t, double>>> equal(100, {{1, 1.0}, {2, 3.0}});
  const Tree all_equal = tree_of(equal);
  EXPECT_EQ(all_equal.topics.size(), 1u);
  EXPECT_EQ(all_equal.topics[0].pages, 100u);
  EXPECT_NEAR(all_equal.topics[0].cohesion, 1, 1e-6);
  std::vector<std::vector<std::pair<uint32_t, double>>> different;
  for (uint32_t i = 0; i < 100; ++i) different.push_back({{i, 1.0}});
  EXPECT_EQ(tree_of(different).topics.size(), 1u);
}

TEST(TopicFile, GivesBackWhatWasWritten) {
  const Collection collection(500, 4, 8);
  const Tree tree = collection.tree();
  kith::test::MemoryFileSystem fs;
  ASSERT_TRUE(write_topics(fs, "topics", tree, collection.nodes()).is_ok());
  const auto file = TopicFile::open(fs, "topics").value();
  EXPECT_TRUE(file.check().is_ok());
  EXPECT_TRUE(file.check_directions().is_ok());
  ASSERT_EQ(file.size(), tree.topics.size());
  ASSERT_EQ(file.urls(), 500u);
  for (uint32_t t = 0; t < file.size(); ++t) {
    const Topic& topic = tree.topics[t];
    EXPECT_EQ(file[t].parent, topic.parent);
    EXPECT_TRUE(file.check_pages(t).is_ok());
    EXPECT_EQ(file.pages(t).size(), topic.pages);
    EXPECT_TRUE(std::ranges::equal(file.labels(t), topic.labels));
    EXPECT_TRUE(std::ranges::equal(file.direction(t), topic.direction));
    EXPECT_EQ(collection.nodes().node_of[file[t].exemplar], topic.exemplar);
    if (topic.children > 0) continue;
    EXPECT_TRUE(std::ranges::is_sorted(file.pages(t)));
    for (const uint32_t page : file.pages(t)) EXPECT_EQ(file.leaf(page), t);
  }
  for (uint32_t page = 0; page < 500; ++page) {
    EXPECT_TRUE(file.check_leaf(page).is_ok());
    EXPECT_EQ(file.leaf(page) == no_topic, collection.bags()[page].empty());
  }
}

// Only what is looked up is read.
TEST(TopicFile, ALookupIsRefusedWhereItsPagesAreDamaged) {
  kith::test::MemoryFileSystem fs;
  auto writer = storage::SectionWriter::create(fs, "topics", topics_kind);
  const std::vector<TopicRecord> root{{.parent = no_topic,
                                       .first_child = 0,
                                       .children = 0,
                                       .begin = 0,
                                       .end = 2,
                                       .exemplar = 1,
                                       .cohesion = 1,
                                       .reserved = 0}};
  ASSERT_TRUE(writer->write_array("topics", root).is_ok());
  ASSERT_TRUE(writer->write_array("pages", std::vector<uint32_t>{1, 9}).is_ok());
  ASSERT_TRUE(writer->write_array("leaf", std::vector<uint32_t>{0, 3}).is_ok());
  for (const std::string list : {"labels", "directions"}) {
    ASSERT_TRUE(writer->write_array(list, std::vector<uint32_t>{}).is_ok());
    ASSERT_TRUE(writer->write_array(list + "_at", std::vector<uint64_t>{0, 0}).is_ok());
  }
  ASSERT_TRUE(writer->finish().is_ok());
  EXPECT_EQ(TopicFile::open(fs, "topics").error().kind, ErrorKind::corrupt);
  const auto file = TopicFile::open_for_lookup(fs, "topics").value();
  EXPECT_TRUE(file.check().is_ok());
  EXPECT_EQ(file.check_pages(0).error().kind, ErrorKind::corrupt);
  EXPECT_TRUE(file.check_leaf(0).is_ok());
  EXPECT_EQ(file.check_leaf(1).error().kind, ErrorKind::corrupt);
  EXPECT_EQ(file.verify().error().kind, ErrorKind::corrupt);
}

}  // namespace
}  // namespace kith::topics
