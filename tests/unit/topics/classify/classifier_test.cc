#include "topics/classify/classifier.h"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/random_bags.h"

namespace kith::topics {
namespace {

struct Topics {
  Topics()
      : bags(test::random_bags({.bags = 600, .words = 30, .vocabulary = 3000, .topics = 5},
                               &topic_of)) {
    for (uint32_t id = 0; id < 600; id += 6) all.push_back({id, topic_of[id] % 5});
    examples = distinct_examples(bags.view(), all);
  }
  std::vector<uint32_t> topic_of;
  test::OwnedBags bags;
  std::vector<Example> all;
  std::vector<Example> examples;
};

TEST(Examples, AreDistinctAndHaveWords) {
  test::OwnedBags bags;
  const std::vector<std::pair<uint32_t, double>> one{{1, 1.0}, {2, 1.0}};
  const std::vector<std::pair<uint32_t, double>> other{{3, 1.0}};
  bags.add(one);
  bags.add({});
  bags.add(one);
  bags.add(other);
  bags.add(one);
  const std::vector<Example> expected{{0, 0}, {3, 0}, {4, 1}};
  EXPECT_EQ(distinct_examples(bags.view(), {{4, 1}, {3, 0}, {2, 0}, {1, 0}, {0, 0}}), expected);
  EXPECT_TRUE(distinct_examples(bags.view(), {}).empty());
}

TEST(Examples, FoldsAreOfOneSizeInEveryClass) {
  const Topics topics;
  const ExampleVectors vectors(topics.bags.view(), topics.examples);
  const std::vector<uint32_t> fold = folds_of(vectors, 5);
  for (uint32_t own = 0; own < 5; ++own) {
    std::vector<size_t> sizes(5);
    for (size_t row = 0; row < fold.size(); ++row) {
      if (vectors.class_of(row) == own) ++sizes[fold[row]];
    }
    EXPECT_LE(std::ranges::max(sizes) - std::ranges::min(sizes), 1u);
  }
}

TEST(Classifier, FindsPlantedTopics) {
  const Topics topics;
  ThreadPool pool(2);
  const ExampleVectors vectors(topics.bags.view(), topics.examples);
  const Classifier classifier(topics.bags.view(), vectors, 5, 1 << 20, pool);
  const std::vector<Best> best = classifier.classify();
  size_t right = 0;
  size_t all = 0;
  for (uint32_t id = 0; id < 600; ++id) {
    if (topics.bags[id].empty()) continue;
    ++all;
    right += best[id].class_number == topics.topic_of[id] ? 1 : 0;
  }
  EXPECT_GT(right, all * 9 / 10);
}

// The scores of separators one at a time, by the definition.
TEST(Classifier, ScoresAreThoseOfItsSeparators) {
  const Topics topics;
  ThreadPool pool(1);
  const ExampleVectors vectors(topics.bags.view(), topics.examples);
  std::vector<uint32_t> rows(vectors.size());
  for (uint32_t row = 0; row < rows.size(); ++row) rows[row] = row;
  const std::vector<Best> best =
      Classifier(topics.bags.view(), vectors, 5, 1 << 20, pool).classify();
  std::vector<Separator> separators;
  for (uint32_t own = 0; own < 5; ++own) {
    separators.push_back(train_separator(vectors, rows, own));
  }
  for (uint32_t id = 0; id < 600; ++id) {
    if (topics.bags[id].empty()) continue;
    std::vector<double> scores;
    for (const Separator& separator : separators) {
      double sum = 0;
      for (const sketch::BagEntry& entry : topics.bags[id]) {
        const uint32_t term = vectors.number_of(entry.term);
        if (term != ExampleVectors::none) sum += separator.weights[term] * double(entry.weight);
      }
      scores.push_back(sum * unit_scale(topics.bags[id]) + separator.constant);
    }
    std::ranges::sort(scores);
    EXPECT_NEAR(best[id].first, scores[4], 1e-5);
    EXPECT_NEAR(best[id].margin(), scores[4] - scores[3], 1e-5);
  }
}

TEST(Classifier, IsTheSameForAnyThreadsAndMemory) {
  const Topics topics;
  const ExampleVectors vectors(topics.bags.view(), topics.examples);
  ThreadPool one(1);
  const Classifier plain(topics.bags.view(), vectors, 5, 1 << 20, one);
  const std::vector<Best> all = plain.classify();
  const std::vector<Best> held_back = plain.cross_validate();
  for (const unsigned threads : {2u, 5u}) {
    for (const uint64_t bytes : {uint64_t{0}, 2 * SeparatorBlock::bytes(1, vectors.terms())}) {
      ThreadPool pool(threads);
      const Classifier other(topics.bags.view(), vectors, 5, bytes, pool);
      const auto expect_same = [](const std::vector<Best>& a, const std::vector<Best>& b) {
        ASSERT_EQ(a.size(), b.size());
        for (size_t i = 0; i < a.size(); ++i) {
          ASSERT_EQ(a[i].class_number, b[i].class_number);
          ASSERT_EQ(a[i].first, b[i].first);
          ASSERT_EQ(a[i].second, b[i].second);
        }
      };
      expect_same(other.classify(), all);
      expect_same(other.cross_validate(), held_back);
    }
  }
}

TEST(Classifier, PrintsNothing) {
  const Topics topics;
  ThreadPool pool(2);
  const ExampleVectors vectors(topics.bags.view(), topics.examples);
  testing::internal::CaptureStdout();
  Classifier(topics.bags.view(), vectors, 5, 1 << 20, pool).cross_validate();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

// What was held back is given another class, since nothing of its own was learnt.
TEST(Classifier, AClassOfOneExampleIsNeverRight) {
  const Topics topics;
  std::vector<Example> examples = topics.examples;
  examples[7].class_number = 5;
  ThreadPool pool(1);
  const ExampleVectors vectors(topics.bags.view(), examples);
  const Classifier classifier(topics.bags.view(), vectors, 6, 1 << 20, pool);
  EXPECT_NE(classifier.cross_validate()[7].class_number, 5u);
}

}  // namespace
}  // namespace kith::topics
