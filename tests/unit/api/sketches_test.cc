// Shingles, signatures, fingerprints and keys of the library beside those of the program.
#include "kith/sketches.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "kith/bags.h"
#include "kith/dedup.h"
#include "kith/shingles.h"
#include "kith/tables.h"

#include "api/batch.h"
#include "base/hash.h"
#include "cluster/plan/seeds.h"
#include "cluster/plan/similarity_plan.h"
#include "jobs/dedup/read.h"
#include "sketch/set_sketches.h"
#include "sketch/simhash.h"
#include "support/random_bags.h"
#include "text/words/shingles.h"
#include "unit/api/arrays.h"
#include "unit/api/views.h"
#include "unit/jobs/dedup/texts.h"

namespace kith::api {
namespace {

Sets some_sets() {
  const std::vector<std::string> texts = test::make_texts(200, 3);
  return std::move(shingles(test::views_of(texts))).value();
}

TEST(LibraryShingles, AreThoseOfDedup) {
  std::vector<std::string> texts = test::make_texts(150, 5);
  texts.push_back("");
  texts.push_back("one");
  DedupOptions dedup;
  dedup.width = 3;
  dedup.bag = true;
  text::Shingler shingler(jobs::shingle_options(dedup));
  for (const unsigned threads : {1u, 3u}) {
    const auto sets = shingles(test::views_of(texts), {.width = 3, .bag = true}, threads);
    ASSERT_TRUE(sets.is_ok());
    ASSERT_EQ(sets->size(), texts.size());
    std::vector<uint64_t> expected;
    for (size_t i = 0; i < texts.size(); ++i) {
      shingler.elements(texts[i], expected);
      EXPECT_TRUE(std::ranges::equal((*sets)[i], expected)) << i;
    }
  }
  EXPECT_EQ(shingles(std::span<const std::string_view>())->size(), 0u);
  EXPECT_EQ(shingles("")->size(), 0u);
  EXPECT_FALSE(shingles("a", {.width = 0}).is_ok());
  EXPECT_FALSE(shingles("a", {.width = 257}).is_ok());
}

TEST(LibraryMinHasher, SignsAsDedup) {
  const Sets sets = some_sets();
  const auto hasher = MinHasher::make({.lanes = 64, .seed = 7});
  ASSERT_TRUE(hasher.is_ok());
  DedupOptions dedup;
  dedup.lanes = 64;
  dedup.seed = 7;
  const run::SketchParams params = jobs::sketch_params(dedup);
  const sketch::SetSketcher own({params.family, params.lanes, params.seed});
  std::vector<uint16_t> rows(sets.size() * 64);
  ASSERT_TRUE(hasher->signatures(sets, rows, 2).is_ok());
  std::vector<uint16_t> expected(64);
  std::vector<uint16_t> single(64);
  for (size_t i = 0; i < sets.size(); ++i) {
    own.sketch(sets[i], expected);
    EXPECT_TRUE(std::ranges::equal(std::span(rows).subspan(i * 64, 64), expected)) << i;
    ASSERT_TRUE(hasher->signature(sets[i], single).is_ok());
    EXPECT_EQ(single, expected);
  }
}

TEST(LibraryMinHasher, MixesWhatIsNotHashed) {
  const std::vector<uint64_t> ids = {1, 2, 3, 4, 5};
  std::vector<uint64_t> hashes;
  for (const uint64_t id : ids) hashes.push_back(mix64(id));
  const auto mixing = MinHasher::make({.hashed = false});
  const auto hasher = MinHasher::make();
  std::vector<uint16_t> a(128);
  std::vector<uint16_t> b(128);
  ASSERT_TRUE(mixing->signature(ids, a).is_ok());
  ASSERT_TRUE(hasher->signature(hashes, b).is_ok());
  EXPECT_EQ(a, b);
}

TEST(LibraryMinHasher, RefusesWhatDoesNotFit) {
  EXPECT_FALSE(MinHasher::make({.lanes = 0}).is_ok());
  EXPECT_FALSE(MinHasher::make({.lanes = 100}).is_ok());
  EXPECT_FALSE(MinHasher::make({.lanes = 1040}).is_ok());
  const auto hasher = MinHasher::make();
  std::vector<uint16_t> out(127);
  const std::vector<uint64_t> set = {1};
  EXPECT_EQ(hasher->signature(set, out).error().kind, ErrorKind::usage);
  const std::vector<uint64_t> falling = {0, 1, 0};
  const std::vector<uint64_t> beyond = {0, 2};
  EXPECT_FALSE(hasher->signatures({falling, set}, out).is_ok());
  EXPECT_FALSE(hasher->signatures({beyond, set}, out).is_ok());
  EXPECT_TRUE(hasher->signatures({}, {}).is_ok());
}

TEST(LibraryMinHasher, TakesSlicesOfLongerArrays) {
  const std::vector<uint64_t> elements = {mix64(1), mix64(2), mix64(3)};
  const std::vector<uint64_t> offsets = {1, 3};
  const auto hasher = MinHasher::make();
  std::vector<uint16_t> a(128);
  std::vector<uint16_t> b(128);
  ASSERT_TRUE(hasher->signatures({offsets, elements}, a).is_ok());
  ASSERT_TRUE(hasher->signature(std::span(elements).subspan(1), b).is_ok());
  EXPECT_EQ(a, b);
}

TEST(LibraryBags, KeepBagsOfARunAsTheyAre) {
  const test::OwnedBags owned = test::random_bags({.bags = 500});
  const test::BagArrays arrays(owned.view());
  for (const unsigned threads : {1u, 2u}) {
    const auto bags = Bags::make(arrays.view(), threads);
    ASSERT_TRUE(bags.is_ok()) << bags.error().message;
    const sketch::BagCollection made = bags->arrays().collection();
    EXPECT_TRUE(std::ranges::equal(made.entries(), owned.view().entries()));
    EXPECT_TRUE(std::ranges::equal(made.offsets(), owned.view().offsets()));
    EXPECT_EQ(bags->similarity(3, 4), sketch::similarity(owned[3], owned[4]));
    EXPECT_EQ(bags->terms(3), owned[3].size());
  }
}

TEST(LibraryBags, ScaleAndSort) {
  const std::vector<uint64_t> offsets = {0, 2, 2, 3};
  const std::vector<uint32_t> terms = {9, 4, 1};
  const std::vector<double> weights = {1, 3, 0.001};
  const auto bags = Bags::make({offsets, terms, weights});
  ASSERT_TRUE(bags.is_ok());
  ASSERT_EQ(bags->size(), 3u);
  EXPECT_EQ((*bags)[0].at(0).term, 4u);
  EXPECT_NEAR((*bags)[0].at(0).weight, 75, 1e-4);
  EXPECT_NEAR((*bags)[0].at(1).weight, 25, 1e-4);
  EXPECT_EQ(bags->terms(1), 0u);
  EXPECT_EQ((*bags)[2].at(0).weight, 100);
  EXPECT_EQ(bags->similarity(0, 1), 0);
  EXPECT_EQ(bags->similarity(0, 0), 1);
  EXPECT_EQ(Bags().size(), 0u);
  EXPECT_EQ(Bags::make({})->size(), 0u);
}

TEST(LibraryBags, NameWhatIsWrong) {
  const std::vector<uint64_t> offsets = {0, 1, 3};
  const std::vector<uint32_t> terms = {9, 4, 4};
  const auto message = [&](std::vector<double> weights) {
    return Bags::make({offsets, terms, weights}).error().message;
  };
  EXPECT_NE(message({1, 2, 3}).find("bag 1: has term 4 twice"), std::string::npos);
  EXPECT_NE(message({-1, 2, 3}).find("bag 0: the weight -1"), std::string::npos);
  EXPECT_NE(message({1, std::numeric_limits<double>::quiet_NaN(), 3}).find("bag 1"),
            std::string::npos);
  EXPECT_NE(message({1, 2}).find("bag 1: ends at 3"), std::string::npos);
}

TEST(LibraryBagSketcher, SignsAsCluster) {
  const test::OwnedBags owned = test::random_bags({.bags = 300});
  const auto bags = Bags::make(test::BagArrays(owned.view()).view());
  const auto sketcher = BagSketcher::make({.lanes = 64, .seed = 5});
  ASSERT_TRUE(sketcher.is_ok());
  ClusterOptions cluster;
  cluster.lanes = 64;
  cluster.seed = 5;
  const sketch::Sketcher own(cluster::sketch_options(cluster));
  std::vector<uint16_t> rows(bags->size() * 64);
  ASSERT_TRUE(sketcher->signatures(*bags, rows, 2).is_ok());
  std::vector<uint16_t> expected(64);
  std::vector<uint16_t> single(64);
  for (size_t i = 0; i < bags->size(); ++i) {
    own.sketch(owned[i], expected);
    EXPECT_TRUE(std::ranges::equal(std::span(rows).subspan(i * 64, 64), expected)) << i;
    ASSERT_TRUE(sketcher->signature(*bags, i, single).is_ok());
    EXPECT_EQ(single, expected);
  }
  EXPECT_FALSE(sketcher->signature(*bags, bags->size(), single).is_ok());
  EXPECT_FALSE(BagSketcher::make({.lanes = 8}).is_ok());
}

TEST(LibrarySimHasher, MakesTheFingerprintsOfItsRoom) {
  const Sets sets = some_sets();
  const SimHasher hasher;
  std::vector<uint64_t> out(sets.size());
  ASSERT_TRUE(hasher.fingerprints(sets, out, 2).is_ok());
  for (size_t i = 0; i < sets.size(); ++i) {
    std::vector<sketch::WeightedFeature> features;
    for (const uint64_t element : sets[i]) features.push_back({element, 1});
    EXPECT_EQ(out[i], sketch::simhash(features));
    EXPECT_EQ(out[i], *hasher.fingerprint(sets[i]));
  }
  // An element counts once, wherever it stands.
  const std::vector<uint64_t> repeated = {3, 1, 1, 2, 3, 1};
  EXPECT_EQ(*hasher.fingerprint(repeated), *hasher.fingerprint(std::vector<uint64_t>{1, 2, 3}));
  const std::vector<uint64_t> features = {1, 2};
  const std::vector<uint32_t> weights = {5, 1};
  const sketch::WeightedFeature weighted[] = {{1, 5}, {2, 1}};
  EXPECT_EQ(*hasher.fingerprint(features, weights), sketch::simhash(weighted));
  EXPECT_FALSE(hasher.fingerprint(features, std::vector<uint32_t>{1}).is_ok());
  EXPECT_FALSE(hasher.fingerprints(sets, std::span<uint64_t>(out).first(1)).is_ok());
  const test::OwnedBags owned = test::random_bags({.bags = 20});
  const auto bags = Bags::make(test::BagArrays(owned.view()).view());
  std::vector<uint64_t> of_bags(bags->size());
  ASSERT_TRUE(hasher.fingerprints(*bags, of_bags).is_ok());
  std::vector<sketch::WeightedFeature> entries;
  for (const sketch::BagEntry& entry : owned[7]) entries.push_back({entry.term, entry.weight});
  EXPECT_EQ(of_bags[7], sketch::simhash(entries));
}

TEST(LibraryTables, HaveTheKeysOfTheirRoom) {
  const Sets sets = some_sets();
  const auto hasher = MinHasher::make();
  std::vector<uint16_t> rows(sets.size() * 128);
  ASSERT_TRUE(hasher->signatures(sets, rows).is_ok());
  const auto plan = plan_tables(0.8, 0.99, 128, 64);
  const auto tables = Tables::make(*plan, 3);
  ASSERT_TRUE(tables.is_ok());
  ClusterOptions cluster;
  cluster.seed = 3;
  const sketch::Tables own({.lanes = 128,
                            .per_key = plan->per_key,
                            .tables = plan->tables,
                            .seed = cluster::seed_for(cluster, cluster::SeedUse::tables)});
  std::vector<uint64_t> keys(sets.size() * plan->tables);
  ASSERT_TRUE(tables->keys(rows, keys, 2).is_ok());
  std::vector<uint64_t> expected(plan->tables);
  for (size_t i = 0; i < sets.size(); ++i) {
    own.keys(std::span(rows).subspan(i * 128, 128), expected);
    EXPECT_TRUE(
        std::ranges::equal(std::span(keys).subspan(i * plan->tables, plan->tables), expected));
  }
  EXPECT_TRUE(std::ranges::equal(tables->lanes_of(0), own.subset(0)));
  EXPECT_FALSE(tables->keys(std::span(rows).first(127), keys).is_ok());
  EXPECT_FALSE(tables->keys(rows, std::span(keys).first(1)).is_ok());
  EXPECT_FALSE(Tables::make({.per_key = 9, .tables = 1}).is_ok());
  EXPECT_FALSE(Tables::make({.per_key = 2, .tables = 0}).is_ok());
}

TEST(LibraryEstimates, HoldTheTruthAsOftenAsTheySay) {
  std::vector<std::string> texts = test::make_texts(300, 9);
  const Sets sets = std::move(shingles(test::views_of(texts))).value();
  std::vector<uint16_t> rows(sets.size() * 128);
  ASSERT_TRUE(MinHasher::make()->signatures(sets, rows).is_ok());
  size_t pairs = 0;
  size_t inside = 0;
  for (size_t i = 0; i + 1 < sets.size(); ++i) {
    const double truth = sketch::overlap(sets[i], sets[i + 1]).resemblance();
    const auto estimate =
        estimate_similarity(std::span<const uint16_t>(rows).subspan(i * 128, 128),
                            std::span<const uint16_t>(rows).subspan((i + 1) * 128, 128), 0.95);
    ASSERT_TRUE(estimate.is_ok());
    ++pairs;
    inside += estimate->lower <= truth && truth <= estimate->upper ? 1 : 0;
  }
  EXPECT_GE(static_cast<double>(inside), 0.95 * static_cast<double>(pairs));
}

TEST(LibraryEstimates, RefuseWhatTheyCannotTell) {
  const std::vector<uint16_t> a(16);
  const std::vector<uint16_t> b(32);
  EXPECT_FALSE(estimate_similarity(a, b).is_ok());
  EXPECT_FALSE(estimate_similarity({}, {}).is_ok());
  EXPECT_FALSE(estimate_similarity(a, a, 1).is_ok());
  EXPECT_FALSE(estimate_cosine(1, 2, 0).is_ok());
  EXPECT_FALSE(estimate_share(2, 1).is_ok());
  EXPECT_EQ(estimate_share(0, 0)->upper, 1);
  EXPECT_EQ(estimate_cosine(5, 5, 0.9)->value, 1);
}

}  // namespace
}  // namespace kith::api
