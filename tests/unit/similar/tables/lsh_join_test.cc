#include "similar/tables/lsh_join.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluate/brute_force.h"
#include "similar/duplicates.h"
#include "support/temp_dir.h"
#include "unit/similar/collections.h"
#include "unit/similar/tables/signed_bags.h"

namespace kith::similar {
namespace {

struct JoinedBags {
  LshJoinResult result;
  std::vector<Pair> pairs;
  std::vector<std::vector<Neighbour>> nearest;
};

JoinedBags join(const Signed& input, const sketch::Tables& tables, const LshJoinOptions& options,
                unsigned threads) {
  ThreadPool pool(threads);
  JoinedBags joined;
  const PairRunSink sink = [&](std::span<const Pair> run) {
    EXPECT_TRUE(std::is_sorted(run.begin(), run.end()));
    joined.pairs.insert(joined.pairs.end(), run.begin(), run.end());
    return Status::ok();
  };
  auto result = lsh_join(input.bags, input.groups, input.signatures, tables, options, pool, sink);
  EXPECT_TRUE(result.is_ok());
  joined.result = std::move(result).value();
  joined.nearest.resize(input.bags.size());
  for (uint32_t id = 0; id < input.bags.size(); ++id) {
    expand_nearest(joined.result.nearest[input.groups.representative[id]], options.top,
                   input.groups, id, joined.nearest[id]);
  }
  return joined;
}

std::vector<Pair> sorted(std::vector<Pair> pairs) {
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

void expect_same(const JoinedBags& a, const JoinedBags& b) {
  EXPECT_EQ(sorted(a.pairs), sorted(b.pairs));
  EXPECT_EQ(a.nearest, b.nearest);
  EXPECT_EQ(a.result.degree, b.result.degree);
  EXPECT_EQ(a.result.counts.collisions, b.result.counts.collisions);
  EXPECT_EQ(a.result.counts.candidates, b.result.counts.candidates);
  EXPECT_EQ(a.result.counts.similar, b.result.counts.similar);
  EXPECT_EQ(a.result.counts.split_buckets, b.result.counts.split_buckets);
  EXPECT_EQ(a.result.counts.largest_split, b.result.counts.largest_split);
  EXPECT_EQ(a.result.counts.split_members, b.result.counts.split_members);
}

// The degrees that the pairs of one class give; with whole parts no pair of one may be lost.
std::vector<uint32_t> degrees_within(const Signed& input, std::span<const Pair> pairs,
                                     const Classes& classes) {
  std::vector<uint32_t> degrees(input.bags.size());
  for (const Pair& pair : pairs) {
    if (!classes.share(pair.a, pair.b)) continue;
    degrees[pair.a] += input.groups.multiplicity[pair.b];
    degrees[pair.b] += input.groups.multiplicity[pair.a];
  }
  std::vector<uint32_t> all;
  for (uint32_t id = 0; id < degrees.size(); ++id) {
    const uint32_t twins = input.bags[id].empty() ? 0 : input.groups.multiplicity[id] - 1;
    all.push_back(degrees[input.groups.representative[id]] + twins);
  }
  return all;
}

TEST(LshJoin, DegreesAreWithinClasses) {
  const sketch::Tables tables({.lanes = 128, .per_key = 2, .tables = 20});
  for (const NamedBags& named : random_collections(400)) {
    Signed input(named.bags.view(), 128);
    std::vector<uint32_t> own;
    for (uint32_t id = 0; id < input.bags.size(); ++id) own.push_back(id * 5 % 3);
    const Classes classes(own);
    ThreadPool pool(2);
    input.groups = find_duplicates(input.bags, pool, classes);
    LshJoinOptions options{.min_sum = sketch::min_sum_of_minima(0.2), .top = 5};
    const JoinedBags of_all = join(input, tables, options, 2);
    options.classes = classes;
    const auto within = lsh_join(input.bags, input.groups, input.signatures, tables, options, pool);
    ASSERT_TRUE(within.is_ok());
    EXPECT_EQ(within->degree, degrees_within(input, of_all.pairs, classes)) << named.name;
    for (const uint32_t id : distinct_bags(input.bags, input.groups)) {
      ASSERT_TRUE(std::ranges::equal(within->nearest[id], of_all.result.nearest[id]));
    }
  }
}

// Whether two signatures meet in a table.
bool collide(const sketch::Tables& tables, std::span<const uint16_t> a,
             std::span<const uint16_t> b) {
  for (uint32_t table = 0; table < tables.params().tables; ++table) {
    if (tables.key(table, a) == tables.key(table, b)) return true;
  }
  return false;
}

// Every pair of representatives that collides, agrees in min_count low bytes and has the sum: by
// plain loops.
std::vector<Pair> plain_pairs(const Signed& input, const sketch::Tables& tables, uint32_t min_sum,
                              uint32_t min_count = 0) {
  std::vector<Pair> pairs;
  const std::vector<uint32_t> ids = distinct_bags(input.bags, input.groups);
  for (size_t i = 0; i < ids.size(); ++i) {
    for (size_t j = i + 1; j < ids.size(); ++j) {
      const uint32_t sum = sketch::sum_of_minima(input.bags[ids[i]], input.bags[ids[j]]);
      if (sum < min_sum) continue;
      if (sketch::count_equal_scalar(input.plane[ids[i]], input.plane[ids[j]]) < min_count)
        continue;
      if (collide(tables, input.signatures[ids[i]], input.signatures[ids[j]])) {
        pairs.push_back({ids[i], ids[j], sum});
      }
    }
  }
  return pairs;
}

// The pairs of all ids, in memory.
void expand(std::span<const Pair> pairs, const DuplicateGroups& groups, const PairSink& sink) {
  ThreadPool pool(2);
  PairExpander expander(groups, storage::posix_file_system(), pool, {});
  EXPECT_TRUE(expander.append(pairs).is_ok());
  EXPECT_TRUE(expander.finish(sink).is_ok());
}

// The K nearest of each id among its pairs, duplicates included.
std::vector<std::vector<Neighbour>> nearest_of(std::span<const Pair> pairs, const Signed& input,
                                               size_t k) {
  std::vector<std::vector<Neighbour>> nearest(input.bags.size());
  const PairSink sink = [&](uint32_t a, std::span<const Neighbour> bs) {
    for (const Neighbour b : bs) {
      nearest[a].push_back(b);
      nearest[b.id].push_back({a, b.sum_of_minima});
    }
    return Status::ok();
  };
  expand(pairs, input.groups, sink);
  for (auto& list : nearest) {
    std::sort(list.begin(), list.end(), nearer);
    list.resize(std::min(list.size(), k));
  }
  return nearest;
}

TEST(LshJoin, FindsEveryCandidateOnceAndNoOther) {
  for (const NamedBags& named : all_collections(500)) {
    const Signed input(named.bags.view(), 64);
    for (const uint32_t per_key : {1u, 2u, 3u}) {
      const sketch::Tables tables({.lanes = 64, .per_key = per_key, .tables = 40});
      const LshJoinOptions options{.min_sum = sketch::min_sum_of_minima(0.3), .top = 5};
      const uint32_t min_count = min_candidate_count(options, 64);
      EXPECT_GT(min_count, 1u);
      const JoinedBags joined = join(input, tables, options, 2);
      const std::vector<Pair> similar = plain_pairs(input, tables, options.min_sum, min_count);
      EXPECT_EQ(sorted(joined.pairs), similar) << named.name;
      EXPECT_EQ(joined.result.counts.similar, similar.size());
      const std::vector<Pair> candidates = plain_pairs(input, tables, 0, min_count);
      EXPECT_EQ(joined.result.counts.candidates, candidates.size());
      EXPECT_EQ(joined.nearest, nearest_of(plain_pairs(input, tables, 1, min_count), input, 5))
          << named.name;
    }
  }
}

TEST(LshJoin, ListsMayHaveWhatIsSimilarOnly) {
  for (const NamedBags& named : all_collections(500)) {
    const Signed input(named.bags.view(), 64);
    const sketch::Tables tables({.lanes = 64, .per_key = 2, .tables = 40});
    const LshJoinOptions options{
        .min_sum = sketch::min_sum_of_minima(0.3), .top = 5, .similar_only = true};
    const JoinedBags joined = join(input, tables, options, 2);
    const std::vector<Pair> similar =
        plain_pairs(input, tables, options.min_sum, min_candidate_count(options, 64));
    EXPECT_EQ(sorted(joined.pairs), similar) << named.name;
    EXPECT_EQ(joined.nearest, nearest_of(similar, input, 5)) << named.name;
  }
}

TEST(LshJoin, IsTheSameForAnyNumberOfThreadsAndAnyMemory) {
  test::TempDir folder;
  for (const NamedBags& named : all_collections(800)) {
    const Signed input(named.bags.view(), 64);
    const sketch::Tables tables({.lanes = 64, .per_key = 2, .tables = 20});
    for (const uint32_t largest_bucket : {5u, 4096u}) {
      LshJoinOptions options{
          .min_sum = sketch::min_sum_of_minima(0.2), .top = 5, .largest_bucket = largest_bucket};
      const JoinedBags one = join(input, tables, options, 1);
      expect_same(one, join(input, tables, options, 2));
      expect_same(one, join(input, tables, options, 5));
      EXPECT_EQ(one.result.counts.blocks, 1u);
      if (input.bags.size() < 800) continue;  // too few to be cut
      const uint64_t id_bytes =
          300 + input.bags.entries().size() * sizeof(sketch::BagEntry) / (input.bags.size() + 1);
      for (const uint64_t share : {2, 5}) {
        options.memory = (1 << 17) + input.bags.size() * id_bytes / share;
        options.fs = &storage::posix_file_system();
        options.scratch = folder.path();
        const JoinedBags cut = join(input, tables, options, 2);
        expect_same(one, cut);
        EXPECT_GT(cut.result.counts.blocks, 1u) << named.name;
      }
    }
  }
}

TEST(LshJoin, TooLittleMemoryIsAnErrorAndTheLeastIsEnough) {
  const NamedBags named = random_collections(10'000)[0];
  const Signed input(named.bags.view(), 16);
  ThreadPool pool(1);
  const test::TempDir folder;
  constexpr uint32_t top = 1000;
  const uint64_t least = min_lsh_join_memory(input.bags, 16, top);
  for (const uint64_t memory : {least - 64, least}) {
    const LshJoinOptions options{.min_sum = sketch::bag_total / 2,
                                 .top = top,
                                 .memory = memory,
                                 .fs = &storage::posix_file_system(),
                                 .scratch = folder.path()};
    const auto joined =
        lsh_join(input.bags, input.groups, input.signatures,
                 sketch::Tables({.lanes = 16, .per_key = 2, .tables = 1}), options, pool);
    ASSERT_EQ(joined.is_ok(), memory == least);
    if (joined.is_ok()) continue;
    EXPECT_EQ(joined.error().kind, ErrorKind::usage);
    EXPECT_THAT(joined.error().message,
                testing::EndsWith(fmt::format("; {} are the minimum", least)));
  }
}

TEST(LshJoin, DegreesAreThoseOfItsPairsWithDuplicates) {
  for (const NamedBags& named : all_collections(500)) {
    const Signed input(named.bags.view(), 64);
    const sketch::Tables tables({.lanes = 64, .per_key = 2, .tables = 10});
    const JoinedBags joined = join(input, tables, {.min_sum = sketch::bag_total / 3, .top = 0}, 2);
    std::vector<uint32_t> degree(input.bags.size());
    std::vector<Pair> expanded;
    const PairSink sink = [&](uint32_t a, std::span<const Neighbour> bs) {
      for (const Neighbour b : bs) {
        ++degree[a];
        ++degree[b.id];
        expanded.push_back({a, b.id, b.sum_of_minima});
      }
      return Status::ok();
    };
    expand(joined.pairs, input.groups, sink);
    EXPECT_EQ(joined.result.degree, degree) << named.name;
    EXPECT_TRUE(std::is_sorted(expanded.begin(), expanded.end()));
    for (const Pair& pair : expanded) {
      ASSERT_LT(pair.a, pair.b);
      ASSERT_EQ(pair.sum_of_minima, sketch::sum_of_minima(input.bags[pair.a], input.bags[pair.b]));
    }
  }
}

// Recall per bin of similarity against R(s), over many seeds of tables so that pairs of one
// collection count as independent enough. The bounds are six standard deviations wide, plus what
// R moves within a bin.
TEST(LshJoin, RecallFollowsTheCurve) {
  const test::OwnedBags owned = test::random_bags({.bags = 600,
                                                   .words = 30,
                                                   .topics = 20,
                                                   .family_share = 0.7,
                                                   .family_edit = 0.25,
                                                   .duplicate_share = 0,
                                                   .seed = 21});
  constexpr uint32_t lanes = 128;
  constexpr size_t bins = 10;
  std::array<uint64_t, bins> found{};
  std::array<uint64_t, bins> all{};
  const Signed input(owned.view(), lanes);
  sketch::TableParams params{.lanes = lanes, .per_key = 3, .tables = 10};
  const auto bin_of = [](uint32_t sum) {
    return std::min(bins - 1, static_cast<size_t>(sketch::similarity_of(sum) * bins));
  };
  const std::vector<uint32_t> ids = distinct_bags(input.bags, input.groups);
  constexpr uint64_t seeds = 8;
  for (size_t i = 0; i < ids.size(); ++i) {
    for (size_t j = i + 1; j < ids.size(); ++j) {
      all[bin_of(sketch::sum_of_minima(input.bags[ids[i]], input.bags[ids[j]]))] += seeds;
    }
  }
  for (params.seed = 1; params.seed <= seeds; ++params.seed) {
    const JoinedBags joined = join(input, sketch::Tables(params), {.min_sum = 1, .top = 0}, 2);
    for (const Pair& pair : joined.pairs) ++found[bin_of(pair.sum_of_minima)];
  }
  size_t checked = 0;
  for (size_t bin = 2; bin < bins; ++bin) {
    if (all[bin] < 200) continue;
    const auto n = static_cast<double>(all[bin]);
    const double share = static_cast<double>(found[bin]) / n;
    const double low = sketch::collision_probability(static_cast<double>(bin) / bins, params);
    const double high = sketch::collision_probability(static_cast<double>(bin + 1) / bins, params);
    const double slack = 0.02 + 6 * std::sqrt(0.25 / (n / seeds));
    EXPECT_GE(share, low - slack) << "bin " << bin;
    EXPECT_LE(share, high + slack) << "bin " << bin;
    ++checked;
  }
  EXPECT_GE(checked, 5u);
}

TEST(LshJoin, GiantBucketsAreSplitAndCountedAndGiveEachPairOnce) {
  const test::OwnedBags owned = test::random_bags({.bags = 1500,
                                                   .words = 30,
                                                   .topics = 1,
                                                   .family_share = 0.98,
                                                   .family_edit = 0.03,
                                                   .duplicate_share = 0,
                                                   .seed = 22});
  const Signed input(owned.view(), 64);
  const sketch::Tables tables({.lanes = 64, .per_key = 2, .tables = 20});
  const uint32_t min_sum = sketch::min_sum_of_minima(0.5);
  const JoinedBags joined =
      join(input, tables, {.min_sum = min_sum, .top = 10, .largest_bucket = 40}, 2);
  EXPECT_GT(joined.result.counts.split_buckets, 0u);
  EXPECT_GT(joined.result.counts.split_members, 40 * joined.result.counts.split_buckets);
  EXPECT_GT(joined.result.counts.largest_split, 40u);
  std::vector<Pair> pairs = joined.pairs;
  std::sort(pairs.begin(), pairs.end());
  EXPECT_EQ(std::adjacent_find(pairs.begin(), pairs.end()), pairs.end());
  const std::vector<Pair> all = plain_pairs(input, tables, min_sum);
  EXPECT_TRUE(std::includes(all.begin(), all.end(), pairs.begin(), pairs.end()));
  // Splitting costs recall among thousands of near-equals, but far from all of it.
  EXPECT_GT(pairs.size(), all.size() / 20);
  // Far fewer comparisons than the buckets' squares.
  const JoinedBags whole = join(input, tables, {.min_sum = min_sum, .top = 10}, 2);
  EXPECT_LT(joined.result.counts.collisions, whole.result.counts.collisions / 5);
}

TEST(LshJoin, SplitsEvenBucketsOfEqualSignatures) {
  // One heavy word and a light one that differs: the signatures are nearly all equal.
  test::OwnedBags owned;
  for (uint32_t i = 0; i < 500; ++i) {
    owned.add(std::vector<std::pair<uint32_t, double>>{{0, 1e5}, {1 + i, 1.0}});
  }
  const Signed input(owned.view(), 16);
  const sketch::Tables tables({.lanes = 16, .per_key = 2, .tables = 8});
  const JoinedBags joined =
      join(input, tables, {.min_sum = sketch::bag_total / 2, .top = 5, .largest_bucket = 16}, 2);
  for (uint32_t id = 0; id < 500; ++id) EXPECT_EQ(joined.nearest[id].size(), 5u) << id;
  std::vector<Pair> pairs = joined.pairs;
  std::sort(pairs.begin(), pairs.end());
  EXPECT_EQ(std::adjacent_find(pairs.begin(), pairs.end()), pairs.end());
}

TEST(LshJoin, AnErrorOfTheSinkEndsIt) {
  const NamedBags named = random_collections(300)[0];
  const Signed input(named.bags.view(), 64);
  ThreadPool pool(2);
  const auto joined = lsh_join(input.bags, input.groups, input.signatures,
                               sketch::Tables({.lanes = 64, .per_key = 2, .tables = 4}),
                               {.min_sum = 1}, pool, [](std::span<const Pair>) -> Status {
                                 return Error{ErrorKind::io, "no room"};
                               });
  ASSERT_FALSE(joined.is_ok());
  EXPECT_EQ(joined.error().message, "no room");
}

}  // namespace
}  // namespace kith::similar
