#include "sketch/lsh/tables.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/hash.h"
#include "base/random.h"

namespace kith::sketch {
namespace {

using Values = std::vector<uint16_t>;

Values random_signature(Rng& rng, uint32_t lanes) {
  Values signature(lanes);
  for (uint16_t& value : signature) value = static_cast<uint16_t>(rng());
  return signature;
}

// A signature that shares each lane with the given one with probability s.
Values similar_signature(Rng& rng, const Values& signature, double s) {
  Values other = signature;
  for (uint16_t& value : other) {
    if (rng.uniform() >= s) value = static_cast<uint16_t>(value + 1 + rng.below(65535));
  }
  return other;
}

std::vector<uint64_t> keys_of(const Tables& tables, const Values& signature) {
  std::vector<uint64_t> keys(tables.params().tables);
  tables.keys(signature, keys);
  return keys;
}

uint32_t first_collision(const Tables& tables, const Values& a, const Values& b) {
  for (uint32_t table = 0; table < tables.params().tables; ++table) {
    const auto subset = tables.subset(table);
    if (std::ranges::all_of(subset, [&](uint16_t lane) { return a[lane] == b[lane]; })) {
      return table;
    }
  }
  return tables.params().tables;
}

constexpr auto both_kinds = {Subsets::disjoint, Subsets::random};

std::vector<TableParams> many_params(Subsets subsets) {
  std::vector<TableParams> many = {{},
                                   {.lanes = 80, .per_key = 3, .tables = 125},
                                   {.lanes = 1024, .per_key = 8, .tables = 1024},
                                   {.lanes = 16, .per_key = 1, .tables = 16},
                                   {.lanes = 8, .per_key = 8, .tables = 1},
                                   {.lanes = 9, .per_key = 8, .tables = 9},
                                   {.lanes = 1, .per_key = 1, .tables = 1}};
  for (TableParams& params : many) params.subsets = subsets;
  return many;
}

TEST(Tables, SubsetsOfAnOrderAreDisjoint) {
  for (const TableParams& params : many_params(Subsets::disjoint)) {
    const Tables tables(params);
    const uint32_t of_order = params.lanes / params.per_key;
    std::set<uint16_t> used;
    for (uint32_t table = 0; table < params.tables; ++table) {
      if (table % of_order == 0) used.clear();
      const auto subset = tables.subset(table);
      ASSERT_EQ(subset.size(), params.per_key);
      EXPECT_LT(subset.back(), params.lanes);
      EXPECT_TRUE(std::ranges::is_sorted(subset));
      for (const uint16_t lane : subset) EXPECT_TRUE(used.insert(lane).second);
      const bool in_order = subset.front() == table * params.per_key;
      EXPECT_TRUE(in_order || table >= of_order);
    }
  }
}

TEST(Tables, RandomSubsetsAreAscendingDistinctAndInRange) {
  for (const TableParams& params : many_params(Subsets::random)) {
    const Tables tables(params);
    std::set<Values> seen;
    for (uint32_t table = 0; table < params.tables; ++table) {
      const auto subset = tables.subset(table);
      ASSERT_EQ(subset.size(), params.per_key);
      EXPECT_LT(subset.back(), params.lanes);
      EXPECT_TRUE(std::ranges::is_sorted(subset, std::less_equal<>()));
      EXPECT_TRUE(std::ranges::adjacent_find(subset) == subset.end());
      EXPECT_TRUE(seen.emplace(subset.begin(), subset.end()).second);
    }
  }
}

TEST(Tables, MoreRandomTablesThanSubsetsUseEverySubsetEquallyOften) {
  const Tables tables({.lanes = 4, .per_key = 2, .tables = 18, .subsets = Subsets::random});
  std::multiset<Values> seen;
  for (uint32_t table = 0; table < 18; ++table) {
    const auto subset = tables.subset(table);
    seen.emplace(subset.begin(), subset.end());
  }
  for (const Values& subset : seen) EXPECT_EQ(seen.count(subset), 3u);
}

TEST(Tables, LanesAreUsedEvenly) {
  constexpr uint32_t lanes = 64;
  for (const Subsets subsets : both_kinds) {
    std::vector<double> counts(lanes, 0.0);
    for (uint64_t seed = 0; seed < 50; ++seed) {
      const Tables tables(
          {.lanes = lanes, .per_key = 3, .tables = 105, .seed = seed, .subsets = subsets});
      for (uint32_t table = 0; table < 105; ++table) {
        for (const uint16_t lane : tables.subset(table)) ++counts[lane];
      }
    }
    // Disjoint ones in five orders: a lane is left over now and then, the same one always in the
    // first.
    const double expected = 50 * 105 * 3.0 / lanes;
    for (const double count : counts) EXPECT_NEAR(count, expected, 5.0 * std::sqrt(expected));
  }
}

// Which URLs meet depends on these values: they must not change from one version to the next.
TEST(Tables, AreFixedForEver) {
  Values signature(80);
  for (uint16_t lane = 0; lane < 80; ++lane) signature[lane] = static_cast<uint16_t>(lane * 821);
  const auto hash = [&](Subsets subsets) {
    const TableParams params = {
        .lanes = 80, .per_key = 5, .tables = 60, .seed = 3, .subsets = subsets};
    const std::vector<uint64_t> keys = keys_of(Tables(params), signature);
    return hash64(std::as_bytes(std::span(keys)));
  };
  EXPECT_EQ(hash(Subsets::disjoint), 7438498888105370246u);
  EXPECT_EQ(hash(Subsets::random), 8047598333775462783u);
}

TEST(Tables, SeedDecidesEverything) {
  Rng rng(1);
  const Values signature = random_signature(rng, 128);
  EXPECT_EQ(keys_of(Tables({}), signature), keys_of(Tables({}), signature));
  EXPECT_NE(keys_of(Tables({}), signature), keys_of(Tables({.seed = 1}), signature));
}

TEST(Tables, KeysAgreeWithKey) {
  Rng rng(2);
  for (uint32_t per_key = 1; per_key <= max_per_key; ++per_key) {
    for (const Subsets subsets : both_kinds) {
      const Tables tables({.per_key = per_key, .tables = 140, .subsets = subsets});
      const Values signature = random_signature(rng, 128);
      const std::vector<uint64_t> keys = keys_of(tables, signature);
      for (uint32_t table = 0; table < 140; ++table) {
        EXPECT_EQ(tables.key(table, signature), keys[table]);
      }
      // Some of them before the lanes in order end, some behind.
      for (const uint32_t first : {0u, 5u, 35u, 60u, 120u}) {
        std::vector<uint64_t> some(20);
        tables.keys(first, signature, some);
        EXPECT_TRUE(std::equal(some.begin(), some.end(), keys.begin() + first));
      }
    }
  }
}

TEST(Tables, KeysDependOnTheTable) {
  const Values zeros(128, 0);
  for (uint32_t per_key = 1; per_key <= max_per_key; ++per_key) {
    const std::vector<uint64_t> keys = keys_of(Tables({.per_key = per_key, .tables = 100}), zeros);
    EXPECT_EQ(std::set<uint64_t>(keys.begin(), keys.end()).size(), keys.size());
  }
}

RC_GTEST_PROP(Tables, KeysAreEqualExactlyWhereTheirValuesAre, ()) {
  const auto per_key = *rc::gen::inRange(1u, max_per_key + 1);
  const TableParams params = {.lanes = *rc::gen::inRange(per_key, 200u),
                              .per_key = per_key,
                              .tables = *rc::gen::inRange(1u, 130u),
                              .seed = *rc::gen::arbitrary<uint64_t>(),
                              .subsets = *rc::gen::element(Subsets::disjoint, Subsets::random)};
  const Tables tables(params);
  Rng rng(*rc::gen::arbitrary<uint64_t>());
  const Values a = random_signature(rng, params.lanes);
  const Values b = similar_signature(rng, a, rng.uniform());
  const std::vector<uint64_t> keys_a = keys_of(tables, a);
  const std::vector<uint64_t> keys_b = keys_of(tables, b);
  for (uint32_t table = 0; table < params.tables; ++table) {
    const bool equal = std::ranges::all_of(tables.subset(table),
                                           [&](uint16_t lane) { return a[lane] == b[lane]; });
    RC_ASSERT((keys_a[table] == keys_b[table]) == equal);
  }
  const SubsetMasks masks(tables);
  std::vector<uint64_t> equal(masks.words());
  for (uint32_t lane = 0; lane < params.lanes; ++lane) {
    equal[lane / 64] |= uint64_t{a[lane] == b[lane]} << lane % 64;
  }
  uint32_t found = 0;
  for (uint32_t table = 0; table < params.tables; ++table) {
    RC_ASSERT(masks.within(table, equal) == (keys_a[table] == keys_b[table]));
    if (!masks.within(table, equal)) continue;
    RC_ASSERT(masks.first_within(equal, found, params.tables) == table);
    found = table + 1;
  }
  RC_ASSERT(masks.first_within(equal, found, params.tables) == params.tables);
  RC_ASSERT(masks.first_within(equal, 0, params.tables) == first_collision(tables, a, b));
}

TEST(Tables, EveryByteOfTheKeysIsSpreadEvenly) {
  const Tables tables({.lanes = 16, .per_key = 2, .tables = 1});
  const auto subset = tables.subset(0);
  std::vector<std::vector<double>> counts(8, std::vector<double>(256, 0.0));
  constexpr int keys = 65536;
  Values signature(16, 0);
  for (int i = 0; i < keys; ++i) {
    signature[subset[0]] = static_cast<uint16_t>(i % 256);
    signature[subset[1]] = static_cast<uint16_t>(i / 256);
    const uint64_t key = tables.key(0, signature);
    for (size_t byte = 0; byte < 8; ++byte) ++counts[byte][key >> (8 * byte) & 0xff];
  }
  for (const auto& histogram : counts) {
    double chi_square = 0.0;
    for (const double count : histogram) chi_square += (count - 256.0) * (count - 256.0) / 256.0;
    EXPECT_LT(chi_square, 255.0 + 6.0 * 22.6);
  }
}

// The recall of real tables over simulated signatures, against R(s).
void expect_recall(Rng& rng, const TableParams& request, double s) {
  constexpr int table_sets = 40;
  constexpr int pairs = 100;
  int met = 0;
  for (int set = 0; set < table_sets; ++set) {
    TableParams params = request;
    params.seed = rng();
    const Tables tables(params);
    for (int pair = 0; pair < pairs; ++pair) {
      const Values a = random_signature(rng, params.lanes);
      met += first_collision(tables, a, similar_signature(rng, a, s)) < params.tables;
    }
  }
  const double expected = collision_probability(s, request);
  const double trials = table_sets * pairs;
  EXPECT_NEAR(met / trials, expected,
              5.0 * std::sqrt(expected * (1.0 - expected) / trials) + 1.0 / trials)
      << "s " << s << ", k " << request.per_key << ", l " << request.tables;
}

TEST(Tables, MeetAsOftenAsTheCollisionProbabilitySays) {
  Rng rng(4);
  for (const TableParams& request :
       {TableParams{}, TableParams{.lanes = 80, .per_key = 3, .tables = 125},
        TableParams{.lanes = 16, .per_key = 1, .tables = 12},
        TableParams{.lanes = 32, .per_key = 5, .tables = 200}}) {
    for (const Subsets subsets : both_kinds) {
      TableParams params = request;
      params.subsets = subsets;
      for (const double s : {0.1, 0.2, 0.35, 0.6}) expect_recall(rng, params, s);
    }
  }
}

}  // namespace
}  // namespace kith::sketch
