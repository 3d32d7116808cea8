#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/memory_file_system.h"
#include "topics/topic_file.h"
#include "unit/topics/collection.h"

namespace kith::topics {
namespace {

// Every direction against the whole vector.
uint32_t route_naively(const Tree& tree, Vector vector) {
  std::map<uint32_t, double> x;
  for (const Coordinate& c : vector) x[c.term] = c.value / vector_one;
  uint32_t at = 0;
  while (tree.topics[at].children > 0) {
    const uint32_t first = tree.topics[at].first_child;
    uint32_t best = first;
    double most = -2;
    for (uint32_t child = first; child < first + tree.topics[at].children; ++child) {
      double fit = 0;
      for (const DirectionPart& part : tree.topics[child].direction) {
        const auto found = x.find(part.term);
        if (found != x.end()) fit += found->second * static_cast<double>(part.value);
      }
      if (fit > most) best = child;
      most = std::max(most, fit);
    }
    at = best;
  }
  return at;
}

class RouterTest : public ::testing::Test {
 protected:
  RouterTest() : collection_(800, 6, 4), tree_(collection_.tree()) {
    EXPECT_TRUE(write_topics(fs_, "topics", tree_, collection_.nodes()).is_ok());
    file_ = TopicFile::open(fs_, "topics").value();
  }
  Vector vector_of(uint32_t page) {
    const sketch::Bag bag = collection_.bags()[page];
    buffer_.resize(bag.size());
    return unit_vector(bag, buffer_);
  }

  topics::test::Collection collection_;
  Tree tree_;
  kith::test::MemoryFileSystem fs_;
  TopicFile file_;
  std::vector<Coordinate> buffer_;
};

TEST_F(RouterTest, GoesWhereTheDirectionsFitBest) {
  const Router router(file_);
  for (uint32_t page = 0; page < 800; ++page) {
    const Vector vector = vector_of(page);
    if (vector.empty()) continue;
    EXPECT_EQ(router.route(vector).topic, route_naively(tree_, vector));
  }
}

TEST_F(RouterTest, PagesOfTheRunGoBackToTheirTopic) {
  const Router router(file_);
  uint32_t pages = 0;
  uint32_t back = 0;
  for (uint32_t page = 0; page < 800; ++page) {
    const Vector vector = vector_of(page);
    if (vector.empty()) continue;
    ++pages;
    back += router.route(vector).topic == file_.leaf(page);
  }
  EXPECT_GT(back, pages * 95 / 100);
}

TEST_F(RouterTest, OfPagesWithoutAKnownWord) {
  const Router router(file_);
  const Coordinate unknown{topics::test::terms - 1, 1 << 24};
  const Route route = router.route(Vector(&unknown, 1));
  EXPECT_EQ(route.fit, 0);
  EXPECT_EQ(file_[route.topic].children, 0u);
}

}  // namespace
}  // namespace kith::topics
