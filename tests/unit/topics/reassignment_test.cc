#include "topics/reassignment.h"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topics/labels.h"
#include "unit/topics/collection.h"

namespace kith::topics {
namespace {

// All nodes of a collection, and the twin of a round: every direction in full, every node against
// every group.
class Reassignment : public ::testing::Test {
 protected:
  explicit Reassignment() : collection_(200, 4, 9) {
    topic_.resize(collection_.nodes().size());
    std::iota(topic_.begin(), topic_.end(), 0u);
    ThreadPool pool(1);
    vectors_ = TopicVectors::copy(collection_.bags(), collection_.nodes(), topic_, room_, pool);
    sum_ = sum_all(vectors_, pool);
  }

  std::vector<double> dense(uint32_t i) const {
    std::vector<double> x(vectors_.terms(), 0);
    TopicVectors::Buffer buffer;
    for (const Coordinate& c : vectors_.read(i, buffer)) x[c.term] = c.value / vector_one;
    return x;
  }

  std::vector<double> direction(const std::vector<uint32_t>& group, uint32_t g) const {
    std::vector<double> mean(vectors_.terms(), 0);
    std::vector<double> z(vectors_.terms(), 0);
    double own = 0;
    double all = 0;
    for (uint32_t i = 0; i < vectors_.size(); ++i) {
      const auto x = dense(i);
      const double pages = vectors_.pages(i);
      all += pages;
      if (group[i] == g) own += pages;
      for (uint32_t t = 0; t < vectors_.terms(); ++t) {
        mean[t] += pages * x[t];
        if (group[i] == g) z[t] += pages * x[t];
      }
    }
    double square = 0;
    for (uint32_t t = 0; t < vectors_.terms(); ++t) {
      z[t] = own > 0 ? z[t] / own - mean[t] / all : 0;
      square += z[t] * z[t];
    }
    for (double& value : z) value = square > 0 ? value / std::sqrt(square) : 0;
    return z;
  }

  std::vector<uint32_t> round_naively(const std::vector<uint32_t>& group, uint32_t groups) const {
    std::vector<std::vector<double>> z;
    for (uint32_t g = 0; g < groups; ++g) z.push_back(direction(group, g));
    std::vector<uint32_t> best(group.size(), 0);
    for (uint32_t i = 0; i < group.size(); ++i) {
      const auto x = dense(i);
      double most = -2;
      for (uint32_t g = 0; g < groups; ++g) {
        const double fit = std::inner_product(x.begin(), x.end(), z[g].begin(), 0.0);
        if (fit > most) best[i] = g;
        most = std::max(most, fit);
      }
    }
    return best;
  }

  topics::test::Collection collection_;
  std::vector<uint32_t> topic_;
  VectorRoom room_{topics::test::terms};
  TopicVectors vectors_;
  std::vector<uint64_t> sum_;
};

TEST_F(Reassignment, IsThatOfBruteForce) {
  std::vector<uint32_t> start(vectors_.size());
  for (uint32_t i = 0; i < start.size(); ++i) start[i] = i % 5 == 4 ? no_group : i % 5;
  std::vector<uint32_t> naive = start;
  for (int round = 0; round < 3; ++round) naive = round_naively(naive, 4);
  for (const unsigned threads : {1u, 3u}) {
    ThreadPool pool(threads);
    Groups groups = make_groups(vectors_, start, 4, pool);
    reassign(vectors_, sum_, {}, groups, pool);
    ASSERT_EQ(groups.pages.size(), 4u);
    EXPECT_EQ(groups.group, naive);
  }
}

TEST_F(Reassignment, SumsStayExact) {
  std::vector<uint32_t> start(vectors_.size());
  for (uint32_t i = 0; i < start.size(); ++i) start[i] = i % 3;
  ThreadPool pool(1);
  Groups groups = make_groups(vectors_, start, 3, pool);
  reassign(vectors_, sum_, {}, groups, pool);
  const auto count = static_cast<uint32_t>(groups.pages.size());
  const Groups again = make_groups(vectors_, groups.group, count, pool);
  EXPECT_EQ(groups.pages, again.pages);
  for (uint32_t term = 0; term < vectors_.terms(); ++term) {
    EXPECT_TRUE(std::ranges::equal(groups.sums[term], again.sums[term]));
  }
}

TEST_F(Reassignment, DissolvesSmallGroups) {
  std::vector<uint32_t> start(vectors_.size());
  for (uint32_t i = 0; i < start.size(); ++i) start[i] = i % 3;
  ThreadPool pool(1);
  TreeOptions options;
  options.rounds = 1;
  Groups groups = make_groups(vectors_, start, 3, pool);
  reassign(vectors_, sum_, options, groups, pool);
  std::vector<uint64_t> sizes = groups.pages;
  std::ranges::sort(sizes);
  options.min_group = static_cast<uint32_t>(sizes[1]);
  Groups fewer = make_groups(vectors_, start, 3, pool);
  reassign(vectors_, sum_, options, fewer, pool);
  EXPECT_EQ(fewer.pages.size(), sizes[0] == sizes[1] ? 3u : 2u);
  EXPECT_EQ(std::accumulate(fewer.pages.begin(), fewer.pages.end(), uint64_t{0}),
            vectors_.total_pages());
}

TEST_F(Reassignment, ExemplarsAreNearestToTheMeanOfThoseThatSuitBest) {
  std::vector<uint32_t> group(vectors_.size());
  for (uint32_t i = 0; i < group.size(); ++i) group[i] = i % 3;
  ThreadPool pool(2);
  const Groups groups = make_groups(vectors_, group, 3, pool);
  // Of group 0 all suit alike, of group 1 a few suit better.
  std::vector<uint8_t> suits(group.size());
  for (uint32_t i = 1; i < group.size(); i += 9) suits[i] = 2;
  const auto exemplars = find_exemplars(vectors_, group, groups.sums, suits, pool);
  for (uint32_t g = 0; g < 3; ++g) {
    double most = -1;
    uint32_t best = 0;
    for (uint32_t i = g; i < group.size(); i += g == 1 ? 9 : 3) {
      double fit = 0;
      const auto x = dense(i);
      for (uint32_t t = 0; t < vectors_.terms(); ++t) {
        fit += x[t] * static_cast<double>(groups.sums[t][g]);
      }
      if (fit > most) best = i;
      most = std::max(most, fit);
    }
    EXPECT_EQ(exemplars[g], best);
  }
}

}  // namespace
}  // namespace kith::topics
