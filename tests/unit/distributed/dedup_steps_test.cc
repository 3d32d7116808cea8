// The steps of near-duplicates, each by itself; that they find what one machine finds together is
// tested where they follow each other, by python/tests/test_spark.py.
#include "distributed/dedup_steps.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "distributed/center_scan.h"
#include "support/temp_dir.h"
#include "unit/jobs/dedup/texts.h"

namespace kith::distributed {
namespace {

DedupOptions table_options() {
  DedupOptions options;
  options.inputs = {"table"};
  options.output = "none";
  return options;
}

DocumentFeatures features_of(const DedupOptions& options, const std::vector<std::string>& texts) {
  return *features(options, std::vector<std::string_view>(texts.begin(), texts.end()));
}

TEST(DedupSteps, RefuseWhatIsNotForManyMachines) {
  const auto message = [](const DedupOptions& options) {
    const Status status = check_distributed(options);
    EXPECT_FALSE(status);
    return status ? std::string() : status.error().message;
  };
  EXPECT_TRUE(check_distributed(table_options()));
  DedupOptions options = table_options();
  options.method = DedupMethod::simhash;
  EXPECT_NE(message(options).find("method = simhash"), std::string::npos);
  options = table_options();
  options.groups = Grouping::components;
  EXPECT_NE(message(options).find("groups = components"), std::string::npos);
  options = table_options();
  options.similarity = 2;
  EXPECT_NE(message(options).find("similarity = 2"), std::string::npos);
}

TEST(DedupSteps, TellEqualSetsAndEqualTexts) {
  const std::vector<std::string> texts = {"a b c d e f", "a b c d e f", "A b c d e f a b c d e f",
                                          ""};
  DedupOptions options = table_options();
  const DocumentFeatures sets = features_of(options, texts);
  ASSERT_EQ(sets.sets.size(), texts.size());
  EXPECT_EQ(sets.signatures.size(), texts.size() * options.lanes);
  EXPECT_TRUE(std::equal(sets.content.begin(), sets.content.begin() + 2, sets.content.begin() + 2));
  EXPECT_NE(sets.content[0], sets.content[4]);
  EXPECT_EQ(sets.content[6] | sets.content[7], 0u);
  options.method = DedupMethod::exact;
  const DocumentFeatures exact = features_of(options, texts);
  EXPECT_EQ(exact.content[0], exact.content[2]);
  EXPECT_FALSE(finds_pairs(options));
}

TEST(DedupSteps, VerifyAsTheDefinitionSays) {
  const DedupOptions options = table_options();
  const Sets sets = features_of(options, test::make_texts(40, 3)).sets;
  std::vector<uint32_t> a;
  std::vector<uint32_t> b;
  for (uint32_t i = 0; i < sets.size(); ++i) {
    for (uint32_t j = i + 1; j < sets.size(); ++j) {
      a.push_back(i);
      b.push_back(j);
    }
  }
  const auto similarity = *verify(options, sets, a, b);
  size_t pairs = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    std::vector<uint64_t> both;
    std::ranges::set_intersection(sets[a[i]], sets[b[i]], std::back_inserter(both));
    const size_t all = sets[a[i]].size() + sets[b[i]].size() - both.size();
    const double expected = static_cast<double>(both.size()) / static_cast<double>(all);
    if (expected >= 0.8) {
      EXPECT_EQ(similarity[i], expected);
      ++pairs;
    } else {
      EXPECT_TRUE(std::isnan(similarity[i]));
    }
  }
  EXPECT_GT(pairs, 0u);
  EXPECT_FALSE(verify(options, {}, std::vector<uint32_t>{0}, std::vector<uint32_t>{1}));
}

// The places of all documents of large buckets, by row.
std::vector<DocumentPlace> split_all(const TableJoin& join, SignatureView signatures,
                                     uint64_t bound) {
  const size_t documents = signatures.size() / join.lanes();
  const std::vector<uint32_t> keys = join.keys(signatures);
  std::map<std::pair<uint32_t, uint32_t>, DocumentPlace> found;
  for (uint32_t table = 0; table < join.tables(); ++table) {
    std::map<uint32_t, std::vector<uint32_t>> buckets;
    for (uint32_t row = 0; row < documents; ++row) {
      buckets[keys[row * join.tables() + table]].push_back(row);
    }
    for (const auto& [key, members] : buckets) {
      if (members.size() <= join.largest_unsplit(bound)) continue;
      std::vector<uint16_t> own;
      for (const uint32_t row : members) {
        const auto values = signatures.subspan(row * join.lanes(), join.lanes());
        own.insert(own.end(), values.begin(), values.end());
      }
      for (DocumentPlace place : join.split(table, bound, members, own)) {
        place.row = members[place.row];
        found[{place.row, table}] = place;
      }
    }
  }
  std::vector<DocumentPlace> places;
  for (const auto& [at, place] : found) places.push_back(place);
  return places;
}

TEST(TableJoin, FindsEveryCandidateInOneOfTheSlices) {
  const DedupOptions options = table_options();
  const auto signatures = features_of(options, test::make_texts(900, 7)).signatures;
  const TableJoin join = join_of(options, 2, 12);
  for (const uint64_t bound : {1000, 8}) {
    const std::vector<DocumentPlace> places = split_all(join, signatures, bound);
    EXPECT_EQ(places.empty(), bound == 1000);
    Candidates all = join.candidates(signatures, places, 0, 1);
    EXPECT_GT(all.pairs.size(), 100u);
    EXPECT_TRUE(std::ranges::is_sorted(all.pairs, {}, &DocumentIds::a));
    std::vector<DocumentIds> of_slices;
    uint64_t collisions = 0;
    for (uint32_t slice = 0; slice < 7; ++slice) {
      const Candidates some = join.candidates(signatures, places, slice, 7);
      of_slices.insert(of_slices.end(), some.pairs.begin(), some.pairs.end());
      collisions += some.collisions;
    }
    std::ranges::sort(of_slices);
    std::ranges::sort(all.pairs);
    EXPECT_EQ(of_slices, all.pairs);
    EXPECT_EQ(collisions, all.collisions);
  }
}

TEST(TableJoin, RaisesTheBoundOfFewLargeBuckets) {
  const TableJoin join = join_of(table_options(), 4, 6);
  const std::vector<uint64_t> sizes = {2, 600};
  const std::vector<uint64_t> counts = {10, 1};
  EXPECT_GE(join.bound(1'000'000, sizes, counts), 600u);
  EXPECT_LE(join.largest_unsplit(600), 600u);
}

TEST(CenterScan, ComparesWholePartsAndKnowsOtherPairs) {
  const DedupOptions options = table_options();
  const std::string text = "a b c d e f g h i j k l m n o p q r s t";
  const DocumentFeatures found = features_of(options, {text, text + " u", "x y z"});
  const std::vector<uint32_t> others = {1, 5, 8};
  const std::vector<uint32_t> numbers = {3, 6, 7};
  const test::TempDir folder;
  {
    const auto scan = *CenterScan::make(options, folder / "scan", others);
    ASSERT_TRUE(scan->add(numbers, found.sets, found.signatures));
    EXPECT_FALSE(scan->add(numbers, found.sets, found.signatures));
    const std::vector<uint32_t> a = {1};
    const std::vector<uint32_t> b = {8};
    const std::vector<uint64_t> names(3, 77);
    const auto centers = *scan->run(
        {.a = a, .b = b, .part_names = names, .part_members = numbers, .max_centers = 16});
    EXPECT_EQ(centers.center, (std::vector<uint32_t>{1, 3, 5, 3, 7, 1}));
    EXPECT_EQ(centers.a, std::vector<uint32_t>{3});
    EXPECT_EQ(centers.b, std::vector<uint32_t>{6});
    EXPECT_GE(centers.similarity.front(), 0.8);
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "scan"));
  EXPECT_FALSE(CenterScan::make(options, folder.path(), {}));
  EXPECT_TRUE(std::filesystem::exists(folder.path()));
}

}  // namespace
}  // namespace kith::distributed
