#include "similar/tables/refinement.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "evaluate/brute_force.h"
#include "similar/tables/lsh_join.h"
#include "support/temp_dir.h"
#include "unit/similar/collections.h"
#include "unit/similar/tables/counted_reads.h"
#include "unit/similar/tables/few_lanes.h"
#include "unit/similar/tables/signed_bags.h"

namespace kith::similar {
namespace {

using ListsById = std::map<uint32_t, std::vector<Neighbour>>;

sketch::Tables few_tables() {
  return sketch::Tables({.lanes = few_lanes, .per_key = 2, .tables = 6});
}

LshJoinResult join(const Signed& input, const LshJoinOptions& options, unsigned threads) {
  ThreadPool pool(threads);
  auto result = lsh_join(input.bags, input.groups, input.signatures, few_tables(), options, pool);
  EXPECT_TRUE(result.is_ok());
  return std::move(result).value();
}

ListsById lists_of(const Signed& input, const LshJoinResult& joined) {
  ListsById lists;
  for (uint32_t id = 0; id < input.bags.size(); ++id) {
    const auto list = joined.nearest[id];
    lists[id].assign(list.begin(), list.end());
  }
  return lists;
}

// The links of all ids by their definition.
std::map<uint32_t, std::vector<uint32_t>> links_of(const ListsById& lists) {
  constexpr size_t most = NeighbourGraph::max_links;
  const auto cut = [](std::vector<Neighbour> list, size_t length) {
    list.resize(std::min(list.size(), length));
    return list;
  };
  std::map<uint32_t, std::vector<Neighbour>> listed_by;
  size_t top = 0;
  for (const auto& [id, list] : lists) {
    top = std::max(top, list.size());
    for (const Neighbour own : cut(list, most)) {
      listed_by[own.id].push_back({id, own.sum_of_minima});
    }
  }
  std::map<uint32_t, std::vector<uint32_t>> links;
  for (const auto& [id, list] : lists) {
    links[id] = {};
    for (const Neighbour own : cut(list, most)) links[id].push_back(own.id);
    std::vector<Neighbour>& others = listed_by[id];
    std::sort(others.begin(), others.end(), nearer);
    for (const Neighbour other : cut(others, std::min(top, most))) {
      if (std::ranges::find(links[id], other.id) == links[id].end()) links[id].push_back(other.id);
    }
  }
  return links;
}

struct Plain {
  ListsById lists;
  uint64_t candidates = 0;
  uint64_t compared = 0;
};

// The refinement by its definition: maps and plain loops.
Plain refine_plainly(const Signed& input, const ListsById& before, const LshJoinOptions& options) {
  const auto links = links_of(before);
  const RefinementOptions refinement{.min_sum = options.min_sum,
                                     .similar_only = options.similar_only};
  const uint32_t least = min_refinement_count(refinement, few_lanes);
  const uint32_t min_near = options.similar_only ? options.min_sum : 1;
  const std::vector<uint32_t> expected = expected_sums(few_lanes);
  Plain plain;
  for (const auto& [id, list] : before) {
    std::set<uint32_t> candidates;
    for (const uint32_t link : links.at(id)) {
      candidates.insert(link);
      candidates.insert(links.at(link).begin(), links.at(link).end());
    }
    candidates.erase(id);
    for (const Neighbour own : list) candidates.erase(own.id);
    plain.candidates += candidates.size();
    std::vector<std::pair<int64_t, uint32_t>> by_count;  // most equal bytes first
    for (const uint32_t other : candidates) {
      const uint32_t count = sketch::count_equal_scalar(input.plane[id], input.plane[other]);
      if (count >= least) by_count.emplace_back(-int64_t{count}, other);
    }
    std::sort(by_count.begin(), by_count.end());
    std::vector<Neighbour> nearest = list;
    for (const auto& [minus_count, other] : by_count) {
      const bool is_full = nearest.size() == options.top;
      const uint32_t bound = expected[static_cast<size_t>(-minus_count)];
      if (bound <= (is_full ? nearest.back().sum_of_minima : min_near - 1)) break;
      ++plain.compared;
      const uint32_t sum = sketch::sum_of_minima(input.bags[id], input.bags[other]);
      if (sum >= min_near) nearest.push_back({other, sum});
      std::sort(nearest.begin(), nearest.end(), nearer);
      nearest.resize(std::min<size_t>(nearest.size(), options.top));
    }
    plain.lists[id] = nearest;
  }
  return plain;
}

TEST(Refinement, IsWhatPlainLoopsFind) {
  uint64_t found = 0;
  for (const NamedBags& named : all_collections(600)) {
    const Signed input(named.bags.view(), few_lanes);
    for (const uint32_t top : {1u, 5u, 30u}) {
      const LshJoinOptions options{
          .min_sum = sketch::min_sum_of_minima(0.2), .top = top, .similar_only = top == 5};
      LshJoinResult joined = join(input, options, 2);
      const Plain plain = refine_plainly(input, lists_of(input, joined), options);
      ThreadPool pool(2);
      std::vector<QueryWeights> weights(pool.size());
      const auto stats = refine({input.bags, input.signatures, joined.nearest},
                                {.top = top,
                                 .min_sum = options.min_sum,
                                 .similar_only = options.similar_only,
                                 .term_limit = UINT64_MAX},
                                weights, pool);
      ASSERT_TRUE(stats.is_ok());
      EXPECT_EQ(lists_of(input, joined), plain.lists) << named.name << ", " << top;
      EXPECT_EQ(stats.value().candidates, plain.candidates) << named.name;
      EXPECT_EQ(stats.value().compared, plain.compared) << named.name;
      found += stats.value().found;
    }
  }
  EXPECT_GT(found, 1000u);
}

TEST(Refinement, LeavesDegreesToTheTables) {
  for (const NamedBags& named : random_collections(600)) {
    const Signed input(named.bags.view(), few_lanes);
    LshJoinOptions options{.min_sum = sketch::min_sum_of_minima(0.2), .top = 8, .refine = true};
    const LshJoinResult with_lists = join(input, options, 2);
    options.top = 0;
    const LshJoinResult without = join(input, options, 2);
    EXPECT_EQ(with_lists.degree, without.degree) << named.name;
    EXPECT_EQ(without.counts.refined_candidates, 0u);
    EXPECT_EQ(without.counts.rare_postings, 0u);
  }
}

TEST(Refinement, OfWhatIsSimilarOnlyHasNoOther) {
  size_t similar = 0;
  for (const NamedBags& named : random_collections(600)) {
    const Signed input(named.bags.view(), few_lanes);
    const LshJoinOptions options{
        .min_sum = sketch::min_sum_of_minima(0.2), .top = 20, .refine = true, .similar_only = true};
    const LshJoinResult joined = join(input, options, 2);
    EXPECT_EQ(joined.counts.rare_postings, 0u);
    for (const auto& [id, list] : lists_of(input, joined)) {
      for (const Neighbour near : list) EXPECT_GE(near.sum_of_minima, options.min_sum);
      similar += list.size();
    }
  }
  EXPECT_GT(similar, 1000u);
}

class RefinementOf : public testing::TestWithParam<bool> {};  // similar only

INSTANTIATE_TEST_SUITE_P(Refinement, RefinementOf, testing::Bool());

TEST_P(RefinementOf, IsTheSameForAnyNumberOfThreadsAndAnyMemory) {
  const test::TempDir folder;
  for (const NamedBags& named : random_collections(400)) {
    const Signed input(named.bags.view(), few_lanes);
    LshJoinOptions options{.min_sum = sketch::min_sum_of_minima(0.2),
                           .top = 5,
                           .refine = true,
                           .similar_only = GetParam()};
    const LshJoinResult one = join(input, options, 1);
    options.fs = &storage::posix_file_system();
    options.scratch = folder.path();
    const uint64_t least = min_lsh_join_memory(input.bags, few_lanes, options.top, true);
    for (const uint64_t memory : {uint64_t{0}, least + least / 2}) {
      options.memory = memory;
      const LshJoinResult other = join(input, options, 3);
      EXPECT_EQ(other.counts.blocks > 1, memory > 0) << named.name;
      EXPECT_EQ(lists_of(input, other), lists_of(input, one)) << named.name << ", " << memory;
      EXPECT_EQ(other.degree, one.degree);
      EXPECT_EQ(other.counts.refined_candidates, one.counts.refined_candidates);
      EXPECT_EQ(other.counts.refined_compared, one.counts.refined_compared);
      EXPECT_EQ(other.counts.refined_found, one.counts.refined_found);
      EXPECT_EQ(other.counts.rare_postings, one.counts.rare_postings);
      EXPECT_EQ(other.counts.rare_compared, one.counts.rare_compared);
      EXPECT_EQ(other.counts.rare_found, one.counts.rare_found);
    }
  }
}

// Lists lie in files before bags do: these are read one by one only where they do not fit.
TEST(Refinement, IsTheSameWithBagsInMemoryAndListsInFiles) {
  const test::TempDir folder;
  const NamedBags named = random_collections(8000)[0];
  Signed input(named.bags.view(), few_lanes);
  LshJoinOptions options{.min_sum = sketch::min_sum_of_minima(0.2),
                         .top = 20,
                         .refine = true,
                         .fs = &storage::posix_file_system(),
                         .scratch = folder.path()};
  const LshJoinResult one = join(input, options, 2);
  std::vector<uint64_t> reads_of;
  for (const uint64_t memory : {uint64_t{4} << 20, uint64_t{6} << 20}) {
    const CountedReads reads;
    input.bags =
        sketch::BagCollection(named.bags.view().offsets(), named.bags.view().entries(), &reads);
    options.memory = memory;
    const LshJoinResult other = join(input, options, 2);
    EXPECT_GT(other.counts.blocks, 1u);
    EXPECT_EQ(lists_of(input, other), lists_of(input, one)) << memory;
    reads_of.push_back(reads.bytes());
  }
  EXPECT_GT(reads_of[0], 5 * reads_of[1]);
}

// The share of the true nearest that are in the lists.
double recall(const Signed& input, const LshJoinResult& joined, uint32_t top) {
  ThreadPool pool(1);
  const evaluate::BruteForceResult truth = evaluate::brute_force(
      input.bags, distinct_bags(input.bags, input.groups), {.top = top}, pool);
  uint64_t hits = 0;
  uint64_t all = 0;
  std::vector<Neighbour> nearest;
  for (const evaluate::QueryTruth& query : truth.queries) {
    expand_nearest(joined.nearest[query.id], top, input.groups, query.id, nearest);
    for (const Neighbour neighbour : query.nearest) {
      hits += std::ranges::find(nearest, neighbour) != nearest.end();
    }
    all += query.nearest.size();
  }
  return static_cast<double>(hits) / static_cast<double>(all);
}

TEST(Refinement, FindsWhatFewTablesHaveMissed) {
  const NamedBags named = random_collections(2000)[0];
  const Signed input(named.bags.view(), few_lanes);
  LshJoinOptions options{.min_sum = sketch::min_sum_of_minima(0.2), .top = 10};
  const double before = recall(input, join(input, options, 2), options.top);
  options.refine = true;
  const double after = recall(input, join(input, options, 2), options.top);
  EXPECT_GT(after, 1.3 * before);
}

TEST(Refinement, ExpectedSumsRiseWithTheCount) {
  const std::vector<uint32_t> sums = expected_sums(128);
  ASSERT_EQ(sums.size(), 129u);
  EXPECT_TRUE(std::is_sorted(sums.begin(), sums.end()));
  EXPECT_EQ(sums.back(), sketch::bag_total);
  // A pair of similarity 0.5 agrees in 64 lanes or so.
  EXPECT_GT(sketch::similarity_of(sums[64]), 0.5);
  EXPECT_LT(sketch::similarity_of(sums[64]), 0.6);
}

}  // namespace
}  // namespace kith::similar
