#include "evaluate/label_table.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kith::evaluate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

LabelTable parsed(std::string_view bytes, const std::vector<std::string>& columns = {"label"}) {
  auto table = parse_labels(bytes, "l.tsv", columns);
  EXPECT_TRUE(table) << table.error().message;
  return std::move(table).value();
}

std::string failure(std::string_view bytes, const std::vector<std::string>& columns = {"label"}) {
  const auto table = parse_labels(bytes, "l.tsv", columns);
  EXPECT_FALSE(table);
  EXPECT_EQ(table.error().kind, ErrorKind::usage);
  return table.error().message;
}

TEST(LabelTable, SeveralLabelsOfAPage) {
  const LabelTable table = parsed("url\tlabel\nb\ty\na\tx\nb\tx\nb\ty\n");
  EXPECT_THAT(table.names, ElementsAre("b", "a"));
  EXPECT_EQ(table.rows, 4u);
  EXPECT_EQ(table.classes[0].size(), 2u);
  EXPECT_EQ(table.classes[1].size(), 1u);
  EXPECT_NE(table.classes.first(0), table.classes.first(1));  // y stands before x
  EXPECT_TRUE(table.classes.share(0, 1));
}

TEST(LabelTable, ColumnsOfAnyNameAndOrder) {
  const LabelTable table = parsed("topic\tid\tpart\nmusic\tp1\tjazz\n", {"topic", "part"});
  EXPECT_THAT(table.names, ElementsAre("p1"));
  EXPECT_EQ(table.tree.depth(table.classes.first(0)), 2u);
}

TEST(LabelTable, LineEndsAndByteOrderMark) {
  const LabelTable table = parsed("\xef\xbb\xbfurl\tlabel\r\na\tx\r\n\nb\tx");
  EXPECT_THAT(table.names, ElementsAre("a", "b"));
  EXPECT_EQ(table.rows, 2u);
  EXPECT_TRUE(table.classes.share(0, 1));
}

TEST(LabelTable, RowsWithoutPageOrLabelAreCounted) {
  const LabelTable table = parsed("url\tlabel\n\tx\na\t\nb\nc\t//\nd\tx\n");
  EXPECT_THAT(table.names, ElementsAre("d"));
  EXPECT_EQ(table.rows, 5u);
  EXPECT_EQ(table.skipped_rows, 4u);
}

TEST(LabelTable, MissingColumns) {
  EXPECT_THAT(failure("url\ttopic\npage\tx\n"),
              HasSubstr("names no column 'label'; it names: url, topic; column = NAME"));
  EXPECT_THAT(failure("page\tlabel\n"), HasSubstr("names no column 'url' or 'id'"));
  EXPECT_THAT(failure(""), HasSubstr("is empty"));
}

TEST(LabelTable, ItemsOfSeveralNames) {
  const LabelTable table = parsed("url\tlabel\na\tx\nb\ty\nc\ty\n");
  const LabelledItems items = join_names(table, {{9, 2}, {4, 1}, {4, 0}});
  EXPECT_THAT(items.items, ElementsAre(4u, 9u));
  EXPECT_EQ(items.classes[0].size(), 2u);
  EXPECT_EQ(items.classes.first(0), table.classes.first(0));
  const LabelCounts counts = count_labels(table, items, 20, 0);
  EXPECT_EQ(counts.urls, 3u);
  EXPECT_EQ(counts.labels, 2u);
  EXPECT_EQ(counts.pages, 20u);
  EXPECT_EQ(counts.labelled, 2u);
  EXPECT_EQ(counts.several, 1u);
}

TEST(LabelTree, PathsAndAncestors) {
  LabelTree tree;
  const uint32_t genes = tree.add("Science/Biology/Genes");
  const uint32_t cells = tree.add("/Science//Biology/Cells/");
  const uint32_t physics = tree.add("Science/Physics");
  const uint32_t arts = tree.add("Arts");
  EXPECT_EQ(tree.add("Science/Biology/Genes/"), genes);
  EXPECT_EQ(tree.add(""), LabelTree::root);
  EXPECT_EQ(tree.add("//"), LabelTree::root);
  EXPECT_EQ(tree.depth(cells), 3u);
  EXPECT_EQ(tree.max_depth(), 3u);
  EXPECT_EQ(tree.common_ancestor(genes, cells), tree.add("Science/Biology"));
  EXPECT_EQ(tree.common_ancestor(genes, physics), tree.add("Science"));
  EXPECT_EQ(tree.common_ancestor(genes, arts), LabelTree::root);
  EXPECT_EQ(tree.ancestor(genes, 1), tree.add("Science"));
  EXPECT_EQ(tree.ancestor(arts, 2), arts);
  // A part of the same name elsewhere is another class.
  EXPECT_NE(tree.add("Arts/Biology"), tree.add("Science/Biology"));
}

TEST(LabelTree, IsCutAtADepth) {
  LabelTree tree;
  const uint32_t genes = tree.add("Science/Biology/Genes");
  const uint32_t physics = tree.add("Science/Physics");
  const uint32_t arts = tree.add("Arts");
  LabelSets sets;
  sets.add(std::vector{physics, genes});
  sets.add(std::vector{arts, genes});
  const LabelSets top = tree.cut(sets, 1);
  EXPECT_EQ(top[0].size(), 1u);
  EXPECT_EQ(top[1].size(), 2u);
  EXPECT_EQ(top.first(1), arts);
  const LabelSets whole = tree.cut(sets, 3);
  EXPECT_EQ(whole.first(0), physics);
  EXPECT_EQ(whole[0].size(), 2u);
}

TEST(LabelTree, TheDeepestLevelTakesTheRest) {
  LabelTree tree;
  std::string deep;
  for (int i = 0; i < 10000; ++i) deep += "a/";
  const uint32_t node = tree.add(deep);
  EXPECT_EQ(tree.depth(node), max_label_depth);
  EXPECT_NE(tree.add(deep + "b"), node);
  EXPECT_EQ(tree.add(deep + "/"), node);
}

}  // namespace
}  // namespace kith::evaluate
