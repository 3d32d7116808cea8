#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "topics/group_means.h"
#include "topics/reassignment.h"
#include "topics/vectors.h"
#include "unit/topics/collection.h"

namespace kith::topics {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

SimilarityMatrix random_matrix(size_t n, uint64_t seed) {
  Rng rng(seed);
  SimilarityMatrix matrix(n);
  for (size_t a = 0; a < n; ++a) {
    for (size_t b = a + 1; b < n; ++b) matrix.at(a, b) = matrix.at(b, a) = rng.uniform() - 0.3;
  }
  return matrix;
}

// The naive twin: the two most alike of all pairs are joined, again and again.
std::vector<Merge> merge_naively(SimilarityMatrix matrix, std::vector<uint64_t> pages) {
  std::vector<bool> alive(pages.size(), true);
  std::vector<Merge> merges;
  while (merges.size() + 1 < pages.size()) {
    Merge best{0, 0, -1e300};
    for (uint32_t a = 0; a < pages.size(); ++a) {
      for (uint32_t b = a + 1; b < pages.size(); ++b) {
        if (alive[a] && alive[b] && matrix.at(a, b) > best.similarity) {
          best = {a, b, matrix.at(a, b)};
        }
      }
    }
    for (uint32_t other = 0; other < pages.size(); ++other) {
      const auto na = static_cast<double>(pages[best.a]);
      const auto nb = static_cast<double>(pages[best.b]);
      const double mean =
          (na * matrix.at(best.a, other) + nb * matrix.at(best.b, other)) / (na + nb);
      matrix.at(best.a, other) = matrix.at(other, best.a) = mean;
    }
    alive[best.b] = false;
    pages[best.a] += pages[best.b];
    merges.push_back(best);
  }
  return merges;
}

TEST(MergeTree, IsThatOfTheNaiveGreedyJoining) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const size_t n = 2 + seed * 2;
    const SimilarityMatrix matrix = random_matrix(n, seed);
    std::vector<uint64_t> pages(n);
    for (size_t i = 0; i < n; ++i) pages[i] = 1 + (i * seed) % 9;
    const auto fast = merge_tree(matrix, pages);
    const auto naive = merge_naively(matrix, pages);
    ASSERT_EQ(fast.size(), naive.size());
    for (size_t i = 0; i < fast.size(); ++i) {
      EXPECT_EQ(fast[i].a, naive[i].a);
      EXPECT_EQ(fast[i].b, naive[i].b);
      EXPECT_NEAR(fast[i].similarity, naive[i].similarity, 1e-12);
    }
  }
}

TEST(MergeTree, OfFewGroups) {
  EXPECT_THAT(merge_tree(SimilarityMatrix(0), {}), IsEmpty());
  EXPECT_THAT(merge_tree(SimilarityMatrix(1), std::vector<uint64_t>{5}), IsEmpty());
  // All equally alike: still one tree.
  EXPECT_EQ(merge_tree(SimilarityMatrix(6), std::vector<uint64_t>(6, 1)).size(), 5u);
}

const std::vector<Merge> small_tree{{2, 3, 0.9}, {0, 2, 0.5}, {0, 1, 0.4}};

std::vector<uint32_t> join_four(double least, size_t max_groups = 100, uint64_t min_pages = 0) {
  return join(small_tree, std::vector<uint64_t>{5, 4, 1, 1}, {least, min_pages, max_groups});
}

TEST(Join, StopsAtTheLeastSimilarityAndAtTwo) {
  EXPECT_THAT(join_four(0.95), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(join_four(0.9), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(join_four(0.5), ElementsAre(0, 1, 2, 2));
  EXPECT_THAT(join_four(0.1), ElementsAre(0, 1, 0, 0));
}

TEST(Join, GoesOnBeyondTheMostGroups) {
  EXPECT_THAT(join_four(0.95, 3), ElementsAre(0, 1, 2, 2));
  EXPECT_THAT(join_four(0.95, 2), ElementsAre(0, 1, 0, 0));
  // Groups of one page do not count.
  EXPECT_THAT(join_four(0.95, 2, 2), ElementsAre(0, 1, 2, 3));
}

// Vectors of a collection of which every node is in one of some groups, or in none.
class GroupedNodes {
 public:
  GroupedNodes(uint32_t bags, uint32_t groups, uint32_t without, bool in_place = false)
      : collection_(bags, 3, 4),
        bags_(collection_.bags()),
        group_(collection_.nodes().size()),
        pages_(groups) {
    all_.resize(group_.size());
    std::iota(all_.begin(), all_.end(), 0u);
    ThreadPool pool(1);
    vectors_ = in_place
                   ? TopicVectors::in_place(bags_, collection_.nodes(), all_, topics::test::terms)
                   : TopicVectors::copy(bags_, collection_.nodes(), all_, room_, pool);
    for (uint32_t i = 0; i < group_.size(); ++i) {
      group_[i] = i % (groups + without);
      if (group_[i] >= groups) {
        group_[i] = similar::no_id;
      } else {
        pages_[group_[i]] += vectors_.pages(i);
      }
    }
  }

  const TopicVectors& vectors() const { return vectors_; }
  NodeGroups groups() const { return {group_, pages_}; }
  SimilarityMatrix averages(unsigned threads, uint64_t memory) const {
    ThreadPool pool(threads);
    return centred_averages(vectors_, groups(), sum_all(vectors_, pool), memory, pool);
  }

 private:
  const topics::test::Collection collection_;
  const sketch::BagCollection bags_;
  std::vector<uint32_t> all_;
  VectorRoom room_{topics::test::terms};
  TopicVectors vectors_;
  std::vector<uint32_t> group_;
  std::vector<uint64_t> pages_;
};

void expect_equal(const SimilarityMatrix& a, const SimilarityMatrix& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < a.size(); ++j) ASSERT_EQ(a.at(i, j), b.at(i, j)) << i << " " << j;
  }
}

TEST(CentredAverages, AreTheMeansOverAllPairsOfPages) {
  const GroupedNodes nodes(150, 4, 1);
  const TopicVectors& vectors = nodes.vectors();
  const size_t n = vectors.size();
  ThreadPool pool(1);
  const auto sum = sum_all(vectors, pool);
  // x - mu of every node, in full.
  std::vector<std::vector<double>> centred(n, std::vector<double>(vectors.terms()));
  TopicVectors::Buffer buffer;
  for (uint32_t i = 0; i < n; ++i) {
    for (const Coordinate& c : vectors.read(i, buffer)) centred[i][c.term] = c.value / vector_one;
    for (uint32_t t = 0; t < vectors.terms(); ++t) {
      centred[i][t] -=
          static_cast<double>(sum[t]) / vector_one / static_cast<double>(vectors.total_pages());
    }
  }
  const SimilarityMatrix fast = nodes.averages(1, UINT64_MAX);
  const auto group = nodes.groups().group;
  for (uint32_t a = 0; a < 4; ++a) {
    EXPECT_EQ(fast.at(a, a), 0);
    for (uint32_t b = a + 1; b < 4; ++b) {
      double total = 0;
      double pairs = 0;
      for (uint32_t x = 0; x < n; ++x) {
        for (uint32_t y = 0; y < n; ++y) {
          if (group[x] != a || group[y] != b) continue;
          const double weight = vectors.pages(x) * vectors.pages(y);
          total += weight * std::inner_product(centred[x].begin(), centred[x].end(),
                                               centred[y].begin(), 0.0);
          pairs += weight;
        }
      }
      EXPECT_NEAR(fast.at(a, b), total / pairs, 1e-7);
      EXPECT_EQ(fast.at(a, b), fast.at(b, a));
    }
  }
}

TEST(CentredAverages, AreTheSameForAnyThreadsAndMemory) {
  // Few groups, so that most terms have a value for each; and so many that most have parts, and
  // several threads some rows each.
  for (const uint32_t groups : {4u, 140u}) {
    const GroupedNodes nodes(600, groups, 1);
    const SimilarityMatrix whole = nodes.averages(1, UINT64_MAX);
    for (const uint64_t memory : {uint64_t{0}, uint64_t{20'000}}) {
      expect_equal(nodes.averages(1, memory), whole);
      expect_equal(nodes.averages(3, memory), whole);
    }
    expect_equal(nodes.averages(3, UINT64_MAX), whole);
    expect_equal(GroupedNodes(600, groups, 1, true).averages(2, 20'000), whole);
  }
}

TEST(GroupMeans, TakeWhatTheyMay) {
  const GroupedNodes nodes(600, 140, 1);
  ThreadPool pool(2);
  GroupMeans means(nodes.vectors(), nodes.groups(), pool);
  EXPECT_EQ(means.make(0, 0), 1u);  // one term at least
  const uint32_t end = means.make(0, 20'000);
  EXPECT_GT(end, 1u);
  EXPECT_LT(end, nodes.vectors().terms());
  EXPECT_EQ(means.make(end, UINT64_MAX), nodes.vectors().terms());
  // What is charged for a word of a bag is enough for all.
  uint64_t words = 0;
  TopicVectors::Buffer buffer;
  for (size_t i = 0; i < nodes.vectors().size(); ++i)
    words += nodes.vectors().read(i, buffer).size();
  EXPECT_EQ(means.make(0, bytes_of_joined_word * words), nodes.vectors().terms());
}

}  // namespace
}  // namespace kith::topics
