#include "topics/joining.h"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "topics/group_similarity.h"
#include "topics/sums.h"
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

TEST(CentredAverages, AreTheMeansOverAllPairsOfPages) {
  const test::Collection collection(150, 3, 4);
  const size_t n = collection.nodes().size();
  std::vector<uint32_t> topic(n);
  std::iota(topic.begin(), topic.end(), 0u);
  TermNumbers numbers(test::terms);
  const auto vectors = TopicVectors::copy(collection.bags(), collection.nodes(), topic, numbers);
  std::vector<std::vector<uint32_t>> lists(4);
  for (uint32_t i = 0; i < n; ++i) lists[i % 4].push_back(i);
  const std::vector<std::span<const uint32_t>> groups(lists.begin(), lists.end());
  for (const unsigned threads : {1u, 3u}) {
    ThreadPool pool(threads);
    const auto sum = sum_all(vectors, pool);
    const auto fast =
        centred_averages(sum_groups(vectors, groups, pool), sum, vectors.total_pages(), pool);
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
    for (size_t a = 0; a < 4; ++a) {
      for (size_t b = a + 1; b < 4; ++b) {
        double total = 0;
        double pairs = 0;
        for (const uint32_t x : lists[a]) {
          for (const uint32_t y : lists[b]) {
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
}

}  // namespace
}  // namespace kith::topics
