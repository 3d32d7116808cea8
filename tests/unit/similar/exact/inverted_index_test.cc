#include "similar/exact/inverted_index.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "unit/evaluate/brute_force_plain.h"
#include "unit/similar/collections.h"
#include "unit/similar/exact/index_of.h"

namespace kith::similar {
namespace {

constexpr uint32_t some_min_sums[] = {1, sketch::bag_total / 20, sketch::bag_total / 4,
                                      sketch::bag_total * 3 / 4, sketch::bag_total};

// All indexed bags by plain comparison, in the order of `ids`.
std::vector<Neighbour> plain_query(const sketch::BagCollection& bags, std::span<const uint32_t> ids,
                                   sketch::Bag query, uint32_t min_sum) {
  std::vector<Neighbour> found;
  for (const uint32_t id : ids) {
    const uint32_t sum = sketch::sum_of_minima(query, bags[id]);
    if (sum >= std::max(1u, min_sum)) found.push_back({id, sum});
  }
  return found;
}

void expect_exact(const sketch::BagCollection& bags, std::span<const uint32_t> ids,
                  const InvertedIndex& index, const std::string& name) {
  InvertedIndex::Scratch scratch;
  std::vector<Neighbour> found;
  Answer answer;
  for (uint32_t q = 0; q < bags.size(); q += 3) {
    for (const uint32_t min_sum : some_min_sums) {
      const std::vector<Neighbour> expected = plain_query(bags, ids, bags[q], min_sum);
      index.query(bags[q], min_sum, scratch, found);
      ASSERT_EQ(found, expected) << name << " query " << q << " least sum " << min_sum;
      const Neighbour first = expected.empty() ? Neighbour{no_id, 0} : expected.front();
      ASSERT_EQ(index.earliest(bags[q], min_sum, scratch), first) << name;
    }
    std::vector<Neighbour> sorted = plain_query(bags, ids, bags[q], 1);
    std::sort(sorted.begin(), sorted.end(), nearer);
    for (const size_t k : {size_t{0}, size_t{1}, size_t{10}, size_t{100'000}}) {
      index.ask(bags[q], {.top = k}, scratch, answer);
      const std::vector<Neighbour> expected(
          sorted.begin(), sorted.begin() + static_cast<ptrdiff_t>(std::min(k, sorted.size())));
      ASSERT_EQ(answer.nearest, expected) << name << " query " << q << " k " << k;
    }
  }
}

TEST(InvertedIndex, IsExactAtEveryMomentOfItsGrowth) {
  for (const NamedBags& named : all_collections(300)) {
    const sketch::BagCollection bags = named.bags.view();
    InvertedIndex index;
    std::vector<uint32_t> ids;
    for (uint32_t i = 0; i < bags.size(); ++i) {
      // Ids do not ascend, and every other bag is left out.
      const auto id = static_cast<uint32_t>(bags.size() - 1 - i);
      if (id % 2 == 0) continue;
      index.insert(id, bags[id]);
      ids.push_back(id);
      if (i == 0 || i == bags.size() / 3) expect_exact(bags, ids, index, named.name);
    }
    expect_exact(bags, ids, index, named.name);
  }
}

TEST(InvertedIndex, LeavesOutTheExceptedSlotOnly) {
  const test::OwnedBags owned = random_collections(400)[0].bags;
  const sketch::BagCollection bags = owned.view();
  const InvertedIndex index = index_of(bags);
  InvertedIndex::Scratch scratch;
  Answer answer;
  for (uint32_t id = 0; id < bags.size(); ++id) {
    const evaluate::QueryTruth truth =
        evaluate::truth_of(bags, id, {.min_sum = sketch::bag_total / 4, .top = 5});
    index.ask(bags[id], {.min_sum = sketch::bag_total / 4, .top = 5, .list = true, .except = id},
              scratch, answer);
    ASSERT_EQ(answer.nearest, truth.nearest);
    ASSERT_EQ(answer.similar, truth.similar);
    ASSERT_EQ(answer.count, truth.similar.size());
  }
}

TEST(InvertedIndex, CountsByMultiplicityWithoutListing) {
  const test::OwnedBags owned = random_collections(400)[3].bags;
  const sketch::BagCollection bags = owned.view();
  const std::vector<uint32_t> ids = all_ids(bags);
  std::vector<uint32_t> multiplicity(ids.size());
  for (uint32_t id = 0; id < ids.size(); ++id) multiplicity[id] = 1 + id % 3;
  const InvertedIndex index = index_of(bags);
  InvertedIndex::Scratch scratch;
  Answer answer;
  for (uint32_t id = 0; id < bags.size(); ++id) {
    for (const uint32_t min_sum : some_min_sums) {
      uint64_t expected = 0;
      for (const Neighbour n : plain_query(bags, ids, bags[id], min_sum)) {
        expected += multiplicity[n.id];
      }
      index.ask(bags[id], {.min_sum = min_sum, .multiplicity = multiplicity}, scratch, answer);
      ASSERT_EQ(answer.count, expected) << id << " " << min_sum;
    }
  }
}

// Several blocks of 65536, which the pruning carries its bar across, and lists long enough for
// postings to be left out.
TEST(InvertedIndex, PrunesAcrossBlocksWithoutLoss) {
  const test::OwnedBags owned = test::random_bags(
      {.bags = 150'000, .words = 8, .vocabulary = 400, .topics = 40, .topic_words = 10, .seed = 5});
  const sketch::BagCollection bags = owned.view();
  ThreadPool pool(2);
  const InvertedIndex index = index_of(bags);
  InvertedIndex::Scratch scratch;
  Answer answer;
  const std::vector<uint32_t> queries = evaluate::sample_queries(bags, 24, 1);
  const uint32_t min_sum = sketch::min_sum_of_minima(0.6);
  const evaluate::BruteForceResult truth =
      evaluate::brute_force(bags, queries, {.min_sum = min_sum, .top = 20}, pool);
  for (const evaluate::QueryTruth& query : truth.queries) {
    index.ask(bags[query.id], {.min_sum = min_sum, .top = 20, .list = true, .except = query.id},
              scratch, answer);
    ASSERT_EQ(answer.nearest, query.nearest);
    ASSERT_EQ(answer.similar, query.similar);
    index.ask(bags[query.id], {.top = 20, .except = query.id}, scratch, answer);
    ASSERT_EQ(answer.nearest, query.nearest);
  }
  EXPECT_GT(scratch.work.pruned, 0u);
  EXPECT_GT(scratch.work.postings, 0u);
  EXPECT_EQ(scratch.work.queries, 2 * queries.size());
}

RC_GTEST_PROP(InvertedIndexProperty, FindsWhatBruteForceFinds, ()) {
  const test::OwnedBags owned = test::random_bags({.bags = *rc::gen::inRange<size_t>(1, 60),
                                                   .words = *rc::gen::inRange<uint32_t>(1, 12),
                                                   .vocabulary = *rc::gen::inRange<uint32_t>(1, 40),
                                                   .topics = 0,
                                                   .family_share = 0.3,
                                                   .seed = *rc::gen::arbitrary<uint64_t>()});
  const sketch::BagCollection bags = owned.view();
  const std::vector<uint32_t> ids = all_ids(bags);
  const InvertedIndex index = index_of(bags);
  InvertedIndex::Scratch scratch;
  std::vector<Neighbour> found;
  const auto min_sum = *rc::gen::inRange<uint32_t>(0, sketch::bag_total + 1);
  for (const uint32_t id : ids) {
    index.query(bags[id], min_sum, scratch, found);
    RC_ASSERT(found == plain_query(bags, ids, bags[id], min_sum));
  }
}

// What bounds the leaders of the exact engine.
TEST(InvertedIndex, TellsWhatItTakes) {
  const auto owned = test::random_bags({.bags = 20'000, .words = 30, .vocabulary = 5000});
  const sketch::BagCollection bags = owned.view();
  InvertedIndex index;
  EXPECT_EQ(index.bytes(), 0u);
  uint64_t entries = 0;
  for (uint32_t id = 0; id < bags.size(); ++id) {
    index.insert(id, bags[id]);
    entries += bags[id].size();
  }
  EXPECT_GE(index.bytes(), 4 * entries + 20 * bags.size());
  EXPECT_LE(index.bytes(), 16 * entries + 60 * bags.size() + (4 << 20));
}

}  // namespace
}  // namespace kith::similar
