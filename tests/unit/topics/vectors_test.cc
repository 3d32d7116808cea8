#include "topics/vectors.h"

#include <atomic>
#include <cstring>
#include <numeric>

#include <gtest/gtest.h>

#include "unit/topics/collection.h"

namespace kith::topics {
namespace {

// Bags that are not to stay resident, and a count of how often some are read.
class MappedBags : public Mapping {
 public:
  explicit MappedBags(sketch::BagCollection bags) : bags_(bags.offsets(), bags.entries(), this) {}
  const sketch::BagCollection& bags() const { return bags_; }
  size_t reads() const { return reads_; }

  void release(Bytes) const override {}
  Status read(Bytes from, std::byte* to) const override {
    ++reads_;
    std::memcpy(to, from.data(), from.size());
    return Status::ok();
  }

 private:
  const sketch::BagCollection bags_;
  mutable std::atomic<size_t> reads_ = 0;
};

class StretchOfVectors : public ::testing::Test {
 protected:
  // Every so many-th node.
  std::vector<uint32_t> topic(uint32_t step) const {
    std::vector<uint32_t> nodes;
    for (uint32_t i = 0; i < collection_.nodes().size(); i += step) nodes.push_back(i);
    return nodes;
  }
  // How many reads it takes to read all vectors of these nodes in stretches of up to 100.
  size_t count_reads(const std::vector<uint32_t>& nodes) {
    const auto vectors =
        TopicVectors::in_place(mapped_.bags(), collection_.nodes(), nodes, topics::test::terms);
    const size_t before = mapped_.reads();
    for (size_t first = 0; first < nodes.size(); first += 100) {
      const size_t last = std::min(first + 100, nodes.size());
      TopicVectors::Stretch stretch(vectors, first, last);
      for (size_t i = first; i < last; ++i) expect_vector(stretch[i], nodes[i]);
    }
    return mapped_.reads() - before;
  }
  void expect_vector(Vector vector, uint32_t node) const {
    const sketch::Bag bag = collection_.bags()[collection_.nodes().page[node]];
    std::vector<Coordinate> room(bag.size());
    EXPECT_TRUE(std::ranges::equal(vector, unit_vector(bag, room)));
  }

  const topics::test::Collection collection_{700, 3};
  const MappedBags mapped_{collection_.bags()};
};

TEST_F(StretchOfVectors, IsReadAtOnceWhereItIsDense) {
  const auto nodes = topic(1);
  EXPECT_EQ(count_reads(nodes), (nodes.size() + 99) / 100);
}

TEST_F(StretchOfVectors, IsReadBagByBagWhereItIsNot) {
  const auto nodes = topic(20);
  EXPECT_EQ(count_reads(nodes), nodes.size());
}

TEST_F(StretchOfVectors, IsNotReadUntilSomethingIsAskedFor) {
  const auto nodes = topic(1);
  const auto vectors =
      TopicVectors::in_place(mapped_.bags(), collection_.nodes(), nodes, topics::test::terms);
  const size_t before = mapped_.reads();
  TopicVectors::Stretch stretch(vectors, 100, 200);
  EXPECT_EQ(mapped_.reads(), before);
  expect_vector(stretch[150], 150);
  expect_vector(stretch[199], 199);
  EXPECT_EQ(mapped_.reads(), before + 1);
}

TEST_F(StretchOfVectors, OfACopyTakesNoReads) {
  const auto nodes = topic(1);
  VectorRoom room(topics::test::terms);
  ThreadPool pool(1);
  const auto vectors = TopicVectors::copy(mapped_.bags(), collection_.nodes(), nodes, room, pool);
  EXPECT_LE(vectors.copied_bytes(),
            TopicVectors::bytes_of_copy(nodes.size() + 1, mapped_.bags().entries().size()));
  const size_t before = mapped_.reads();
  TopicVectors::Buffer buffer;
  TopicVectors::Stretch stretch(vectors, 0, nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(stretch[i], vectors.read(i, buffer)));
  }
  EXPECT_EQ(mapped_.reads(), before);
}

// Also of the smallest weights.
TEST(TopicVectors, OfACopyAreThoseInPlaceForAnyThreads) {
  constexpr uint32_t bags = 2000;
  kith::test::OwnedBags owned;
  for (uint32_t i = 0; i < bags; ++i) {
    owned.add(std::vector<std::pair<uint32_t, double>>{
        {i % 700, 1.0}, {700 + i % 3, 1e-9}, {703 + i % 11, 5.0}});
  }
  const topics::test::Collection collection(std::move(owned), 1);
  const sketch::BagCollection all = collection.bags();
  std::vector<uint32_t> topic;
  for (uint32_t node = 1; node < collection.nodes().size(); node += 2) topic.push_back(node);
  const auto expected = TopicVectors::in_place(all, collection.nodes(), topic, topics::test::terms);
  for (const unsigned threads : {1u, 4u}) {
    ThreadPool pool(threads);
    VectorRoom room(topics::test::terms);
    const auto copy = TopicVectors::copy(all, collection.nodes(), topic, room, pool);
    ASSERT_EQ(copy.size(), expected.size());
    TopicVectors::Buffer of_copy;
    TopicVectors::Buffer in_place;
    for (size_t i = 0; i < topic.size(); ++i) {
      const Vector given = copy.read(i, of_copy);
      const Vector wanted = expected.read(i, in_place);
      ASSERT_EQ(given.size(), wanted.size());
      for (size_t j = 0; j < given.size(); ++j) {
        EXPECT_EQ(copy.term_id(given[j].term), wanted[j].term);
        EXPECT_EQ(given[j].value, wanted[j].value);
      }
    }
    for (uint32_t t = 1; t < copy.terms(); ++t) EXPECT_LT(copy.term_id(t - 1), copy.term_id(t));
  }
}

// A large topic, a small one, and the large one again.
TEST(TopicVectors, OfACopyHaveNothingOfThoseBeforeInTheirRoom) {
  const topics::test::Collection collection(500, 3);
  const sketch::BagCollection bags = collection.bags();
  std::vector<uint32_t> all(collection.nodes().size());
  std::iota(all.begin(), all.end(), 0u);
  const std::span<const uint32_t> topic(all);
  VectorRoom room(topics::test::terms);
  ThreadPool pool(1);
  for (const size_t size : {all.size(), size_t{20}, all.size()}) {
    VectorRoom fresh(topics::test::terms);
    const auto copy = TopicVectors::copy(bags, collection.nodes(), topic.first(size), room, pool);
    const auto expected =
        TopicVectors::copy(bags, collection.nodes(), topic.first(size), fresh, pool);
    ASSERT_EQ(copy.terms(), expected.terms());
    TopicVectors::Buffer buffer;
    for (size_t i = 0; i < size; ++i) {
      EXPECT_TRUE(std::ranges::equal(copy.read(i, buffer), expected.read(i, buffer)));
    }
  }
}

}  // namespace
}  // namespace kith::topics
