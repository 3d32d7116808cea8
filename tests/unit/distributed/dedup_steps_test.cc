// The steps of near-duplicates for many machines, put together on one, beside dedup_texts().
#include "kith/dedup_steps.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kith/text_dedup.h"

#include "base/random.h"
#include "support/temp_dir.h"
#include "unit/distributed/distributed_join.h"
#include "unit/jobs/dedup/texts.h"

namespace kith::distributed {
namespace {

using Pairs = std::set<std::pair<uint32_t, uint32_t>>;

// Texts that share a frame of words: one large bucket in every table.
void add_family(std::vector<std::string>& texts, size_t n, size_t own_words, uint64_t seed) {
  Rng rng(seed);
  std::vector<std::string> frame(60);
  for (std::string& one : frame) one = test::word(rng);
  for (size_t i = 0; i < n; ++i) {
    std::string text;
    for (const std::string& one : frame) text += one + " ";
    for (size_t j = 0; j < own_words; ++j) text += test::word(rng) + " ";
    texts.push_back(text);
  }
}

// What a distributed job does, one slice after the other.
class Steps {
 public:
  Steps(const std::vector<std::string>& texts, const DuplicateOptions& options, uint32_t slices)
      : steps_(*DedupSteps::make(options)), slices_(slices) {
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    features_ = *steps_.features(views, 2);
    find_different();
    join_.emplace(choose_tables());
    const test::DistributedJoin tables(*join_, different_, features_.signatures, lanes());
    split_ = tables.split();
    whole_ = tables.part_names().size();
    find_pairs(tables);
    find_centers(tables);
  }

  const std::vector<uint32_t>& center() const { return center_; }
  const Pairs& pairs() const { return pairs_; }
  size_t split() const { return split_; }
  size_t whole() const { return whole_; }

 private:
  uint32_t lanes() const { return steps_.options().lanes; }
  SignatureView signature(size_t document) const {
    return SignatureView(features_.signatures).subspan(document * lanes(), lanes());
  }
  std::vector<uint16_t> signatures(const std::vector<uint32_t>& documents) const {
    std::vector<uint16_t> values;
    for (const uint32_t id : documents) {
      const SignatureView row = signature(id);
      values.insert(values.end(), row.begin(), row.end());
    }
    return values;
  }

  void find_different() {
    std::map<std::pair<uint64_t, uint64_t>, uint32_t> first;
    for (uint32_t id = 0; id < features_.sets.size(); ++id) {
      center_.push_back(id);
      if (features_.sets[id].empty()) continue;
      const auto [at, is_new] =
          first.emplace(std::pair(features_.content[2 * id], features_.content[2 * id + 1]), id);
      if (is_new) different_.push_back(id);
      center_[id] = at->second;
    }
  }

  TableJoin choose_tables() const {
    const DedupSample sample = steps_.sample(different_.size());
    const auto rows = [&](const std::vector<uint64_t>& places) {
      std::vector<uint32_t> ids;
      for (const uint64_t place : places) ids.push_back(different_[place]);
      return signatures(ids);
    };
    const auto plan = *steps_.plan(different_.size(), rows(sample.queries), rows(sample.others));
    return *steps_.join(*std::ranges::find_if(plan, &DedupTables::chosen));
  }

  void find_pairs(const test::DistributedJoin& tables) {
    for (uint32_t slice = 0; slice < slices_; ++slice) {
      const auto [a, b] = tables.candidates(slice, slices_);
      EXPECT_TRUE(std::is_sorted(a.begin(), a.end()));
      const auto common = *steps_.verify(features_.sets, a, b);
      for (size_t i = 0; i < common.size(); ++i) {
        if (common[i] == no_common_elements) continue;
        EXPECT_TRUE(pairs_.emplace(a[i], b[i]).second) << "a pair comes twice";
      }
    }
  }

  void find_centers(const test::DistributedJoin& tables) {
    auto scan = *steps_.center_scan();
    // In two batches.
    for (const size_t begin : {size_t{0}, different_.size() / 2}) {
      const size_t end = begin == 0 ? different_.size() / 2 : different_.size();
      const std::vector<uint32_t> ids(different_.begin() + static_cast<ptrdiff_t>(begin),
                                      different_.begin() + static_cast<ptrdiff_t>(end));
      Sets sets;
      for (const uint32_t id : ids) {
        sets.elements.insert(sets.elements.end(), features_.sets[id].begin(),
                             features_.sets[id].end());
        sets.offsets.push_back(sets.elements.size());
      }
      ASSERT_TRUE(scan.add(ids, sets, signatures(ids)));
    }
    const std::vector<uint64_t> ranks(different_.begin(), different_.end());
    std::vector<DocumentIds> listed;
    for (const auto& [a, b] : pairs_) listed.push_back({a, b});
    const auto& names = tables.part_names();
    const std::set<uint64_t> parts(names.begin(), names.end());
    const uint64_t most =
        DedupCenterScan::max_centers(parts.size(), names.size(), center_.size(), 0);
    const auto output = *scan.run({ranks, listed, names, tables.part_members(), most});
    for (const CommonElements& pair : output.pairs) pairs_.emplace(pair.a, pair.b);
    std::map<uint32_t, uint32_t> center;
    for (size_t i = 0; i < different_.size(); ++i) center[different_[i]] = output.center[i];
    for (uint32_t& id : center_) {
      if (center.contains(id)) id = center[id];
    }
  }

  const DedupSteps steps_;
  const uint32_t slices_;
  DocumentFeatures features_;
  std::vector<uint32_t> different_;
  std::optional<TableJoin> join_;
  size_t split_ = 0;
  size_t whole_ = 0;
  std::vector<uint32_t> center_;
  Pairs pairs_;
};

Pairs pairs_of(const TextDedup& found) {
  Pairs pairs;
  for (const SimilarIds& pair : found.pairs) pairs.emplace(pair.a, pair.b);
  return pairs;
}

TextDedup on_one_machine(const std::vector<std::string>& texts, const DuplicateOptions& options) {
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  return *dedup_texts(views, options);
}

TEST(DedupSteps, FindWhatOneMachineFinds) {
  const std::vector<std::string> texts = test::make_texts(900, 7);
  for (const DuplicateOptions& options :
       {DuplicateOptions{}, DuplicateOptions{.similarity = 0.6, .seed = 5},
        DuplicateOptions{.verify = false}}) {
    const TextDedup expected = on_one_machine(texts, options);
    for (const uint32_t slices : {1u, 7u}) {
      const Steps steps(texts, options, slices);
      EXPECT_EQ(steps.pairs(), pairs_of(expected));
      EXPECT_EQ(steps.center(), expected.center);
      EXPECT_EQ(steps.split(), 0);
    }
  }
}

// Whole parts, and buckets that are no family and are split by coordinates.
TEST(DedupSteps, SplitLargeBucketsAsOneMachineDoes) {
  std::vector<std::string> texts = test::make_texts(300, 3);
  add_family(texts, 700, 2, 4);
  add_family(texts, 2500, 8, 5);
  const DuplicateOptions options{.similarity = 0.9};
  const TextDedup expected = on_one_machine(texts, options);
  const Steps steps(texts, options, 5);
  EXPECT_GT(steps.whole(), 700);
  EXPECT_GT(steps.split(), steps.whole());
  EXPECT_EQ(steps.pairs(), pairs_of(expected));
  EXPECT_EQ(steps.center(), expected.center);
}

TEST(DedupSteps, ScanOnDiskAsInMemory) {
  const DedupSteps steps = *DedupSteps::make();
  const std::vector<std::string_view> texts = {"a b c d e f g", "a b c d e f g h", "x y z"};
  const DocumentFeatures features = *steps.features(texts);
  const test::TempDir folder;
  const std::vector<uint32_t> numbers = {3, 5, 9};
  for (const std::string& path : {std::string(), folder / "scan"}) {
    auto scan = *steps.center_scan(path);
    ASSERT_TRUE(scan.add(numbers, features.sets, features.signatures));
    const std::vector<uint64_t> ranks = {2, 1, 0};
    const std::vector<DocumentIds> pairs = {{3, 5}};
    const auto output = *scan.run({.ranks = ranks, .pairs = pairs, .max_centers = 16});
    EXPECT_EQ(output.center, (std::vector<uint32_t>{5, 5, 9}));
  }
}

TEST(DedupSteps, LeaveAFolderAloneThatIsThere) {
  const test::TempDir folder;
  EXPECT_FALSE(DedupSteps::make()->center_scan(folder.path()));
  EXPECT_TRUE(std::filesystem::exists(folder.path()));
  { const DedupCenterScan scan = *DedupSteps::make()->center_scan(folder / "scan"); }
  EXPECT_FALSE(std::filesystem::exists(folder / "scan"));
}

TEST(DedupSteps, RefuseWhatIsNotForManyMachines) {
  const auto message = [](const DuplicateOptions& options) {
    const auto steps = DedupSteps::make(options);
    EXPECT_FALSE(steps);
    return steps ? std::string() : steps.error().message;
  };
  EXPECT_NE(message({.method = DedupMethod::simhash}).find("method = simhash"), std::string::npos);
  EXPECT_NE(message({.groups = Grouping::components}).find("groups = components"),
            std::string::npos);
  EXPECT_NE(message({.similarity = 2}).find("similarity = 2"), std::string::npos);
}

TEST(DedupSteps, NameWhatDoesNotFitTogether) {
  const DedupSteps steps = *DedupSteps::make();
  const TableJoin join = *steps.join({.per_key = 4, .tables = 6});
  const std::vector<uint16_t> one(steps.options().lanes);
  EXPECT_FALSE(join.keys(std::span(one).first(5)));
  EXPECT_FALSE(join.candidates(std::vector<uint32_t>{1, 2}, one, {}, 0, 1));
  EXPECT_FALSE(join.split(6, 512, std::vector<uint32_t>{1}, one));
  const std::vector<uint32_t> twice = {1, 1};
  const std::vector<uint16_t> two(2 * one.size());
  EXPECT_FALSE(join.candidates(twice, two, {}, 0, 1));
  EXPECT_FALSE(steps.join({.per_key = 0, .tables = 1}));
  EXPECT_FALSE(steps.plan(10, one, one));
  EXPECT_FALSE(steps.verify({}, std::vector<uint32_t>{0}, std::vector<uint32_t>{1}));
  auto scan = *steps.center_scan();
  const std::vector<uint64_t> offsets = {0, 0};
  ASSERT_TRUE(scan.add(std::vector<uint32_t>{4}, {offsets, {}}, one));
  EXPECT_FALSE(scan.add(std::vector<uint32_t>{4}, {offsets, {}}, one));
}

}  // namespace
}  // namespace kith::distributed
