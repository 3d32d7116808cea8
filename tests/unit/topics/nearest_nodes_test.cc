#include <vector>

#include <gtest/gtest.h>

#include "support/memory_file_system.h"
#include "topics/neighbour_graph.h"
#include "topics/topic_file.h"

namespace kith::topics {
namespace {

using similar::no_id;

run::Neighbours written(kith::test::MemoryFileSystem& fs,
                        const std::vector<std::vector<uint32_t>>& lists) {
  auto writer = run::NeighboursWriter::create(fs, "lists").value();
  for (const auto& list : lists) {
    std::vector<similar::Neighbour> entries;
    for (const uint32_t id : list) entries.push_back({id, sketch::bag_total / 2});
    EXPECT_TRUE(writer.add(entries, 0).is_ok());
  }
  EXPECT_TRUE(writer.finish().is_ok());
  return run::Neighbours::open(fs, "lists").value();
}

Topic leaf(uint64_t begin, uint64_t end, uint32_t exemplar) {
  Topic topic;
  topic.parent = 0;
  topic.depth = 1;
  topic.begin = begin;
  topic.end = end;
  topic.pages = end - begin;
  topic.exemplar = exemplar;
  return topic;
}

// A root with two leaves: of the nodes 0 and 1, and of node 2.
Tree two_leaves() {
  Tree tree;
  tree.nodes = {0, 1, 2};
  Topic root;
  root.first_child = 1;
  root.children = 2;
  root.end = root.pages = 3;
  tree.topics = {root, leaf(0, 2, 1), leaf(2, 3, 2)};
  return tree;
}

TEST(JoinNearest, PutsAPageIntoTheTopicOfTheFirstOfItsListThatIsANode) {
  // Pages 0, 1 and 5 are nodes.
  Nodes nodes{.page = {0, 1, 5}, .pages = {1, 1, 1}, .node_of = {0, 1, no_id, no_id, no_id, 2}};
  kith::test::MemoryFileSystem fs;
  // Page 3 is nearest to page 2, which is no node itself; page 4 has no list.
  const run::Neighbours lists = written(fs, {{1}, {0}, {3, 1, 5}, {2, 5}, {}, {3}});
  Tree tree = two_leaves();
  join_nearest(lists, nodes, tree);
  EXPECT_EQ(nodes.node_of, (std::vector<uint32_t>{0, 1, 1, 2, no_id, 2}));
  EXPECT_EQ(tree.topics[0].pages, 5u);
  EXPECT_EQ(tree.topics[1].pages, 3u);
  EXPECT_EQ(tree.topics[2].pages, 2u);

  ASSERT_TRUE(write_topics(fs, "topics", tree, nodes).is_ok());
  const TopicFile file = TopicFile::open(fs, "topics").value();
  const auto pages = [&](uint32_t topic) {
    return std::vector<uint32_t>(file.pages(topic).begin(), file.pages(topic).end());
  };
  EXPECT_EQ(pages(1), (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(pages(2), (std::vector<uint32_t>{3, 5}));
  EXPECT_EQ(file.leaf(3), 2u);
  EXPECT_EQ(file.leaf(4), no_topic);
}

TEST(JoinNearest, LeavesPagesAloneWhereThereIsNoNode) {
  Nodes nodes{.page = {}, .pages = {}, .node_of = {no_id, no_id}};
  kith::test::MemoryFileSystem fs;
  const run::Neighbours lists = written(fs, {{1}, {0}});
  Tree tree;
  tree.topics.resize(1);
  join_nearest(lists, nodes, tree);
  EXPECT_EQ(nodes.node_of, (std::vector<uint32_t>{no_id, no_id}));
  EXPECT_EQ(tree.topics[0].pages, 0u);
}

}  // namespace
}  // namespace kith::topics
