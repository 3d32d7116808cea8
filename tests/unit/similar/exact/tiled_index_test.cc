#include "similar/exact/tiled_index.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/random.h"
#include "unit/similar/collections.h"
#include "unit/similar/exact/index_of.h"

namespace kith::similar {
namespace {

void sort_by_id(std::vector<Neighbour>& list) {
  std::sort(list.begin(), list.end(),
            [](const Neighbour& a, const Neighbour& b) { return a.id < b.id; });
}

// Every bag asks the question; batches of `batch`.
std::vector<Answer> ask_all(const TiledIndex& index, const sketch::BagCollection& bags,
                            Question question, size_t batch, QueryWork* work = nullptr) {
  std::vector<TiledIndex::Query> queries;
  for (uint32_t id = 0; id < bags.size(); ++id) {
    question.except = id;
    queries.push_back({bags[id], question});
  }
  std::vector<Answer> answers(queries.size());
  TiledIndex::Scratch scratch;
  for (size_t begin = 0; begin < queries.size(); begin += batch) {
    const size_t count = std::min(batch, queries.size() - begin);
    index.ask(std::span(queries).subspan(begin, count), scratch,
              std::span(answers).subspan(begin, count));
  }
  if (work != nullptr) *work = scratch.work;
  return answers;
}

void expect_twins(const sketch::BagCollection& bags, const Question& question, size_t batch,
                  sketch::SimdLevel level, const std::string& name) {
  const std::vector<uint32_t> ids = all_ids(bags);
  ThreadPool pool(2);
  const TiledIndex tiled(bags, ids, pool, level);
  const InvertedIndex inverted = index_of(bags);
  std::vector<Answer> answers = ask_all(tiled, bags, question, batch);
  InvertedIndex::Scratch scratch;
  Answer expected;
  Question own = question;
  for (uint32_t id = 0; id < bags.size(); ++id) {
    own.except = id;
    inverted.ask(bags[id], own, scratch, expected);
    sort_by_id(answers[id].similar);
    sort_by_id(expected.similar);
    ASSERT_EQ(answers[id].nearest, expected.nearest) << name << " " << id;
    ASSERT_EQ(answers[id].similar, expected.similar) << name << " " << id;
    ASSERT_EQ(answers[id].count, expected.count) << name << " " << id;
  }
}

TEST(TiledIndex, AgreesWithTheInvertedIndex) {
  for (const NamedBags& named : all_collections(600)) {
    for (const uint32_t min_sum :
         {0u, 1u, sketch::bag_total / 5, sketch::bag_total / 2, sketch::bag_total}) {
      const Question question{.min_sum = min_sum, .top = 7, .list = true};
      expect_twins(named.bags.view(), question, 50, sketch::best_simd_level(), named.name);
    }
  }
}

TEST(TiledIndex, AgreesForAnyBatchAndWithoutVectors) {
  const NamedBags named = random_collections(600)[0];
  const Question question{.min_sum = sketch::bag_total / 4, .top = 5};
  for (const size_t batch : {size_t{1}, size_t{7}, size_t{1000}}) {
    expect_twins(named.bags.view(), question, batch, sketch::SimdLevel::scalar, named.name);
  }
  expect_twins(named.bags.view(), {.min_sum = sketch::bag_total / 4}, 100,
               sketch::SimdLevel::scalar, "count");
  expect_twins(named.bags.view(), {.top = 30}, 100, sketch::SimdLevel::scalar, "nearest");
}

// Several blocks of 8192, where the bar of the first leaves out tiles of the others.
TEST(TiledIndex, PrunesAcrossBlocksWithoutLoss) {
  const test::OwnedBags owned = test::random_bags({.bags = 20'000,
                                                   .words = 10,
                                                   .vocabulary = 200,
                                                   .topics = 100,
                                                   .topic_words = 12,
                                                   .family_share = 0.6,
                                                   .seed = 8});
  const sketch::BagCollection bags = owned.view();
  const std::vector<uint32_t> ids = all_ids(bags);
  ThreadPool pool(2);
  const TiledIndex tiled(bags, ids, pool);
  const InvertedIndex inverted = index_of(bags);
  TiledIndex::Scratch scratch;
  InvertedIndex::Scratch twin_scratch;
  Answer expected;
  for (const uint32_t first : {0u, 9'000u, 19'900u}) {
    std::vector<TiledIndex::Query> queries;
    for (uint32_t id = first; id < first + 60; ++id) {
      queries.push_back(
          {bags[id], {.min_sum = sketch::bag_total * 8 / 10, .top = 5, .except = id}});
    }
    std::vector<Answer> answers(queries.size());
    tiled.ask(queries, scratch, answers);
    for (size_t q = 0; q < queries.size(); ++q) {
      inverted.ask(queries[q].bag, queries[q].question, twin_scratch, expected);
      ASSERT_EQ(answers[q].nearest, expected.nearest) << first + q;
      ASSERT_EQ(answers[q].count, expected.count) << first + q;
    }
  }
  EXPECT_GT(scratch.work.cells, 0u);
  EXPECT_GT(scratch.work.pruned, 0u);
}

TEST(TiledIndex, ListsOnlyWhatTheKeyLetsThrough) {
  const NamedBags named = random_collections(300)[3];
  const sketch::BagCollection bags = named.bags.view();
  const std::vector<uint32_t> ids = all_ids(bags);
  ThreadPool pool(1);
  const TiledIndex index(bags, ids, pool);
  const std::vector<Answer> all =
      ask_all(index, bags, {.min_sum = sketch::bag_total / 4, .list = true}, 64);
  const std::vector<Answer> some = ask_all(
      index, bags,
      {.min_sum = sketch::bag_total / 4, .list = true, .list_key = ids, .list_above = 150}, 64);
  size_t listed = 0;
  for (uint32_t id = 0; id < bags.size(); ++id) {
    EXPECT_EQ(some[id].count, all[id].count);
    std::vector<Neighbour> expected;
    for (const Neighbour n : all[id].similar) {
      if (n.id > 150) expected.push_back(n);
    }
    EXPECT_EQ(some[id].similar, expected);
    listed += expected.size();
  }
  EXPECT_GT(listed, 0u);
}

TEST(DenseRows, VectorKernelAgreesWithTheScalarOne) {
  Rng rng(3);
  constexpr size_t rows = 40;
  std::vector<uint8_t> tile(rows * tile_slots);
  for (uint8_t& byte : tile) byte = static_cast<uint8_t>(rng.below(byte_max + 1));
  for (size_t count = 0; count <= rows; ++count) {
    std::vector<DenseTerm> terms;
    for (size_t i = 0; i < count; ++i) {
      terms.push_back(
          {static_cast<uint32_t>(rng.below(rows)), static_cast<uint8_t>(rng.below(byte_max + 1))});
    }
    std::vector<uint16_t> expected(tile_slots);
    // Up to where sums saturate.
    for (uint16_t& sum : expected) sum = static_cast<uint16_t>(rng() >> 48);
    std::vector<uint16_t> sums = expected;
    add_dense_kernel(sketch::SimdLevel::scalar)(tile.data(), terms, expected.data());
    add_dense_kernel()(tile.data(), terms, sums.data());
    ASSERT_EQ(sums, expected) << count;
  }
}

TEST(SumScan, FindsTheSameGroupsWithAndWithoutVectors) {
  Rng rng(4);
  std::vector<uint16_t> sums(50 * sum_group);
  for (int i = 0; i < 60; ++i) sums[rng.below(sums.size())] = static_cast<uint16_t>(rng() >> 48);
  sums.back() = UINT16_MAX;
  for (const uint16_t cutoff :
       {uint16_t{1}, uint16_t{30'000}, uint16_t{40'000}, uint16_t{UINT16_MAX}}) {
    size_t expected = 0;
    for (size_t from = 0; from <= sums.size(); from += sum_group) {
      expected = from;
      while (expected < sums.size() &&
             *std::max_element(sums.begin() + static_cast<ptrdiff_t>(expected),
                               sums.begin() + static_cast<ptrdiff_t>(expected + sum_group)) <
                 cutoff) {
        expected += sum_group;
      }
      ASSERT_EQ(next_group_at_least(sums, from, cutoff), expected);
      ASSERT_EQ(next_group_at_least(sums, from, cutoff, sketch::SimdLevel::scalar), expected);
    }
  }
}

TEST(DenseRows, TheLargestSumsSaturateAlike) {
  std::vector<uint8_t> tile(tile_slots, byte_max);
  const std::vector<DenseTerm> terms(max_dense_terms, {0, uint8_t{byte_max}});
  std::vector<uint16_t> expected(tile_slots, 1000);
  std::vector<uint16_t> sums = expected;
  add_dense_kernel(sketch::SimdLevel::scalar)(tile.data(), terms, expected.data());
  add_dense_kernel()(tile.data(), terms, sums.data());
  EXPECT_EQ(sums, expected);
  EXPECT_GT(sums[0], coarse_total);
}

RC_GTEST_PROP(DenseWeights, SplitIntoBytesAndExcessTheyBoundTheMinimum, ()) {
  const auto a = *rc::gen::inRange<uint32_t>(1, sketch::bag_total + 1);
  const auto b = *rc::gen::inRange<uint32_t>(1, sketch::bag_total + 1);
  const uint32_t bound = coarse_per_byte * std::min(byte_weight(a), byte_weight(b)) +
                         std::min(coarse(excess_over_byte(a)), coarse(excess_over_byte(b)));
  RC_ASSERT(bound >= coarse(std::min(a, b)));
  RC_ASSERT(bound <= coarse(std::min(a, b)) + coarse_per_byte + 1);
}

}  // namespace
}  // namespace kith::similar
