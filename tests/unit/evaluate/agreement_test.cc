#include "evaluate/agreement.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/random.h"

namespace kith::evaluate {
namespace {

using Numbers = std::vector<uint32_t>;

void expect_all_one(const Agreement& agreement) {
  for (const double value :
       {agreement.ari, agreement.nmi, agreement.ami, agreement.purity, agreement.pair_precision,
        agreement.pair_recall, agreement.bcubed_precision, agreement.bcubed_recall,
        agreement.bcubed_f1}) {
    EXPECT_DOUBLE_EQ(value, 1);
  }
}

Numbers random_numbers(Rng& rng, size_t size, uint64_t different) {
  Numbers numbers;
  for (size_t i = 0; i < size; ++i) numbers.push_back(static_cast<uint32_t>(rng.below(different)));
  return numbers;
}

// Another name for each number.
Numbers renamed(const Numbers& numbers, Rng& rng) {
  Numbers names(numbers.empty() ? 0 : *std::ranges::max_element(numbers) + 1);
  std::iota(names.begin(), names.end(), uint32_t{0});
  for (size_t i = names.size(); i > 1; --i) std::swap(names[i - 1], names[rng.below(i)]);
  Numbers result;
  for (const uint32_t number : numbers) result.push_back(7 * names[number]);
  return result;
}

TEST(Agreement, EqualPartitionsUnderOtherNames) {
  const Agreement agreement = measure_agreement(Numbers{0, 0, 1, 1, 2}, Numbers{7, 7, 3, 3, 0});
  EXPECT_EQ(agreement.pages, 5u);
  EXPECT_EQ(agreement.clusters, 3u);
  EXPECT_EQ(agreement.labels, 3u);
  expect_all_one(agreement);
}

// Cells: cluster 0 has 2 of label 0 and 1 of label 1, cluster 1 has 1 and 2. Pairs: cells
// 1 + 1 = 2, clusters 3 + 3 = 6, labels 6, all 15. By chance 36 / 15 = 2.4; ARI =
// (2 - 2.4) / (6 - 2.4) = -1/9. H = 1 bit each; I = 1 - H(1/3) bits. B-cubed: the two of a cell
// share with 2 of 3, the others with 1 of 3: (4 * 2/3 + 2 * 1/3) / 6 = 5/9, both ways.
// EMI: x items in common, P(0) = P(3) = 1/20, P(1) = P(2) = 9/20, of which every cell has
// x/6 log2(6 x / 9): 4 (9/20 (1/6 log2(2/3) + 2/6 log2(4/3)) + 1/20 3/6 log2 2).
TEST(Agreement, ByHand) {
  const Agreement agreement =
      measure_agreement(Numbers{0, 0, 0, 1, 1, 1}, Numbers{0, 0, 1, 0, 1, 1});
  EXPECT_NEAR(agreement.ari, -1.0 / 9, 1e-15);
  const double information = 1 + (1.0 / 3) * std::log2(1.0 / 3) + (2.0 / 3) * std::log2(2.0 / 3);
  EXPECT_NEAR(agreement.nmi, information, 1e-15);
  const double expected =
      4 * (9.0 / 20 * (std::log2(2.0 / 3) / 6 + std::log2(4.0 / 3) / 3) + 1.0 / 40);
  EXPECT_NEAR(agreement.ami, (information - expected) / (1 - expected), 1e-14);
  EXPECT_NEAR(agreement.purity, 4.0 / 6, 1e-15);
  EXPECT_NEAR(agreement.pair_precision, 2.0 / 6, 1e-15);
  EXPECT_NEAR(agreement.pair_recall, 2.0 / 6, 1e-15);
  EXPECT_NEAR(agreement.bcubed_precision, 5.0 / 9, 1e-15);
  EXPECT_NEAR(agreement.bcubed_recall, 5.0 / 9, 1e-15);
  EXPECT_NEAR(agreement.bcubed_f1, 5.0 / 9, 1e-15);
}

// Clusters {a a b} {b} {b}: pairs in cells 1, clusters 3, labels 1 + 3 = 4, all 10; by chance
// 1.2; ARI = (1 - 1.2) / (3.5 - 1.2) = -2/23. B-cubed precision (2/3 + 2/3 + 1/3 + 1 + 1) / 5,
// recall (1 + 1 + 1/3 + 1/3 + 1/3) / 5.
TEST(Agreement, PrecisionAndRecallDiffer) {
  const Agreement agreement = measure_agreement(Numbers{5, 5, 5, 6, 7}, Numbers{1, 1, 2, 2, 2});
  EXPECT_NEAR(agreement.ari, -2.0 / 23, 1e-15);
  EXPECT_NEAR(agreement.purity, 4.0 / 5, 1e-15);
  EXPECT_NEAR(agreement.pair_precision, 1.0 / 3, 1e-15);
  EXPECT_NEAR(agreement.pair_recall, 1.0 / 4, 1e-15);
  EXPECT_NEAR(agreement.bcubed_precision, 11.0 / 15, 1e-15);
  EXPECT_NEAR(agreement.bcubed_recall, 9.0 / 15, 1e-15);
  EXPECT_NEAR(agreement.bcubed_f1, 2 * 11.0 * 9 / (15 * 20), 1e-15);
}

TEST(Agreement, AllInOneAndAllAlone) {
  const Numbers one(4, 0);
  const Numbers alone{0, 1, 2, 3};
  for (const auto& agreement : {measure_agreement(one, alone), measure_agreement(alone, one)}) {
    EXPECT_DOUBLE_EQ(agreement.ari, 0);
    EXPECT_NEAR(agreement.nmi, 0, 1e-15);
    EXPECT_NEAR(agreement.ami, 0, 1e-15);
  }
  EXPECT_DOUBLE_EQ(measure_agreement(one, alone).purity, 0.25);
  EXPECT_DOUBLE_EQ(measure_agreement(one, alone).pair_precision, 0);
  EXPECT_DOUBLE_EQ(measure_agreement(one, alone).bcubed_precision, 0.25);
  EXPECT_DOUBLE_EQ(measure_agreement(one, alone).bcubed_recall, 1);
  EXPECT_DOUBLE_EQ(measure_agreement(alone, one).purity, 1);
  EXPECT_DOUBLE_EQ(measure_agreement(alone, one).pair_recall, 0);
  expect_all_one(measure_agreement(one, one));
  expect_all_one(measure_agreement(alone, alone));
}

TEST(Agreement, NothingOrOneItem) {
  EXPECT_EQ(measure_agreement({}, Numbers{}).pages, 0u);
  expect_all_one(measure_agreement({}, Numbers{}));
  expect_all_one(measure_agreement(Numbers{3}, Numbers{4}));
}

TEST(Agreement, RandomLabelsAgreeByChanceOnly) {
  Rng rng(3);
  const Numbers clusters = random_numbers(rng, 20000, 10);
  const Agreement agreement = measure_agreement(clusters, random_numbers(rng, 20000, 7));
  EXPECT_NEAR(agreement.ari, 0, 0.002);
  EXPECT_NEAR(agreement.ami, 0, 0.002);
  EXPECT_NEAR(agreement.pair_precision, 1.0 / 7, 0.005);
  EXPECT_NEAR(agreement.pair_recall, 1.0 / 10, 0.005);
}

// Many small clusters: mutual information is high by chance alone, which AMI takes away.
TEST(Agreement, AdjustsForManyClusters) {
  Rng rng(4);
  const Numbers clusters = random_numbers(rng, 20000, 8000);
  const Agreement agreement = measure_agreement(clusters, random_numbers(rng, 20000, 50));
  EXPECT_GT(agreement.nmi, 0.4);
  EXPECT_NEAR(agreement.ami, 0, 0.01);
}

// What two lists of `n` items, of which a and b are marked, have in common, by the definition.
double information_by_chance(const std::vector<uint64_t>& rows,
                             const std::vector<uint64_t>& columns, uint64_t items) {
  const auto factorial = [](double x) { return std::lgamma(x + 1); };
  const auto n = static_cast<double>(items);
  double sum = 0;
  for (const uint64_t row : rows) {
    for (const uint64_t column : columns) {
      const auto a = static_cast<double>(row);
      const auto b = static_cast<double>(column);
      for (double x = std::max(1.0, a + b - n); x <= std::min(a, b); ++x) {
        const double probability = std::exp(
            factorial(a) + factorial(b) + factorial(n - a) + factorial(n - b) - factorial(n) -
            factorial(x) - factorial(a - x) - factorial(b - x) - factorial(n - a - b + x));
        sum += x / n * std::log(n * x / (a * b)) * probability;
      }
    }
  }
  return sum;
}

RC_GTEST_PROP(Agreement, ExpectedInformationIsTheSumOfItsDefinition, ()) {
  Rng rng(*rc::gen::arbitrary<uint64_t>());
  const auto items = *rc::gen::inRange<size_t>(1, 400);
  const Contingency table = count_cells(random_numbers(rng, items, 1 + rng.below(items)),
                                        random_numbers(rng, items, 1 + rng.below(20)));
  const double expected = information_by_chance(table.rows, table.columns, items);
  RC_ASSERT(std::abs(expected_mutual_information(table.rows, table.columns, items) - expected) <=
            1e-11 * (1 + expected));
}

// Sizes of half of very many items: lgamma would lose the small digits.
TEST(Agreement, ExpectedInformationOfManyItems) {
  const uint64_t half = 1u << 30;
  const std::vector<uint64_t> halves{half, half};
  // Of two independent halves 2 n I is chi-squared with one degree of freedom: its mean is 1 / (2
  // n).
  EXPECT_NEAR(expected_mutual_information(halves, halves, 2 * half) * 4 * half, 1, 1e-3);
}

RC_GTEST_PROP(Agreement, NamesDoNotMatter, ()) {
  Rng rng(*rc::gen::arbitrary<uint64_t>());
  const auto items = *rc::gen::inRange<size_t>(0, 100);
  const Numbers clusters = random_numbers(rng, items, 1 + rng.below(20));
  const Numbers labels = random_numbers(rng, items, 1 + rng.below(10));
  const Agreement one = measure_agreement(clusters, labels);
  const Agreement other = measure_agreement(renamed(clusters, rng), renamed(labels, rng));
  RC_ASSERT(std::abs(one.ari - other.ari) <= 1e-12);
  RC_ASSERT(std::abs(one.nmi - other.nmi) <= 1e-12);
  RC_ASSERT(std::abs(one.ami - other.ami) <= 1e-9);
  RC_ASSERT(one.purity == other.purity);
  RC_ASSERT(std::abs(one.bcubed_f1 - other.bcubed_f1) <= 1e-12);
  expect_all_one(measure_agreement(clusters, renamed(clusters, rng)));
}

// ARI, NMI and AMI treat both partitions alike.
RC_GTEST_PROP(Agreement, IsSymmetric, ()) {
  Rng rng(*rc::gen::arbitrary<uint64_t>());
  const auto items = *rc::gen::inRange<size_t>(1, 100);
  const Numbers a = random_numbers(rng, items, 1 + rng.below(20));
  const Numbers b = random_numbers(rng, items, 1 + rng.below(10));
  const Agreement one = measure_agreement(a, b);
  const Agreement other = measure_agreement(b, a);
  RC_ASSERT(std::abs(one.ari - other.ari) <= 1e-12);
  RC_ASSERT(std::abs(one.nmi - other.nmi) <= 1e-12);
  RC_ASSERT(std::abs(one.ami - other.ami) <= 1e-9);
  RC_ASSERT(std::abs(one.pair_precision - other.pair_recall) <= 1e-12);
  RC_ASSERT(std::abs(one.bcubed_precision - other.bcubed_recall) <= 1e-12);
}

}  // namespace
}  // namespace kith::evaluate
