// dedup_texts() beside `kith dedup`, of the same documents.
#include "kith/text_dedup.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kith/dedup.h"

#include "support/temp_dir.h"
#include "unit/api/views.h"
#include "unit/jobs/dedup/texts.h"

namespace kith::api {
namespace {

struct OptionsOfTexts {
  DuplicateOptions duplicates = {};
  ShingleOptions shingles = {};
};
class TextDedupTwin : public testing::TestWithParam<OptionsOfTexts> {};

// The kept document of each that is in a group, by the list of a run.
std::map<size_t, size_t> kept_by_list(const std::string& path) {
  std::map<size_t, size_t> kept;
  size_t now = 0;
  for (const auto& row : test::rows_of(path)) {
    if (row[2] == "status" || row[0] == "group") continue;
    const size_t number = std::stoul(row[1].substr(1));
    if (row[2] == "kept") now = number;
    kept[number] = now;
  }
  return kept;
}

TEST_P(TextDedupTwin, MakesTheGroupsOfARun) {
  const std::vector<std::string> texts = test::make_texts(600, 21);
  const test::TempDir dir;
  test::write_file(dir / "documents.jsonl", test::lines_of(texts));
  const OptionsOfTexts& own = GetParam();
  DedupOptions options;
  options.inputs = {dir / "documents.jsonl"};
  options.output = dir / "run";
  static_cast<DuplicateOptions&>(options) = own.duplicates;
  static_cast<ShingleOptions&>(options) = own.shingles;
  const auto report = dedup(options);
  ASSERT_TRUE(report.is_ok()) << report.error().message;
  const std::map<size_t, size_t> kept = kept_by_list(dir / "run/groups.tsv");
  for (const unsigned threads : {1u, 3u}) {
    const auto found =
        dedup_texts(test::views_of(texts), own.duplicates, own.shingles, {.threads = threads});
    ASSERT_TRUE(found.is_ok()) << found.error().message;
    EXPECT_EQ(found->counts.groups, report->groups.groups);
    EXPECT_EQ(found->counts.removed, report->groups.removed);
    EXPECT_EQ(found->pair_counts.candidates, report->pairs.candidates);
    for (size_t i = 0; i < texts.size(); ++i) {
      const auto listed = kept.find(i);
      EXPECT_EQ(found->kept[i], listed == kept.end() ? i : listed->second) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    , TextDedupTwin,
    testing::Values(OptionsOfTexts{},
                    OptionsOfTexts{{.similarity = 0.6, .keep = {"longest"}, .seed = 9}},
                    OptionsOfTexts{{.similarity = 0.7, .groups = Grouping::components},
                                   {.shingles = ShingleUnit::characters, .width = 9}},
                    OptionsOfTexts{{.method = DedupMethod::simhash, .distance = 5}},
                    OptionsOfTexts{{.method = DedupMethod::supershingle}},
                    OptionsOfTexts{{.method = DedupMethod::containment}},
                    OptionsOfTexts{{.method = DedupMethod::exact}},
                    OptionsOfTexts{{.verify = false, .order = CenterOrder::degree}}));

TEST(TextDedupBatches, AreWhatAllTextsAre) {
  const std::vector<std::string> texts = test::make_texts(2500, 8);
  const auto views = test::views_of(texts);
  const auto all = dedup_texts(views);
  ASSERT_TRUE(all.is_ok());
  for (const size_t size : {7u, 1024u, 1500u}) {
    std::vector<std::string> batch;  // one at a time is there
    std::vector<std::string_view> given;
    size_t begin = 0;
    const auto next = [&]() -> Result<std::span<const std::string_view>> {
      const size_t end = std::min(texts.size(), begin + size);
      batch.assign(texts.begin() + static_cast<ptrdiff_t>(begin),
                   texts.begin() + static_cast<ptrdiff_t>(end));
      given = test::views_of(batch);
      begin = end;
      return std::span<const std::string_view>(given);
    };
    const auto found = dedup_text_batches(next, {}, {}, {.threads = 2});
    ASSERT_TRUE(found.is_ok()) << found.error().message;
    EXPECT_EQ(found->kept, all->kept);
    EXPECT_EQ(found->pairs, all->pairs);
  }
}

TEST(TextDedupBatches, EndWithTheErrorOfTheReader) {
  const std::vector<std::string_view> texts = {"one text", "and another"};
  bool is_first = true;
  const auto next = [&]() -> Result<std::span<const std::string_view>> {
    if (std::exchange(is_first, false)) return std::span<const std::string_view>(texts);
    return Error{ErrorKind::corrupt, "the rest is missing"};
  };
  const auto found = dedup_text_batches(next);
  ASSERT_FALSE(found.is_ok());
  EXPECT_EQ(found.error().kind, ErrorKind::corrupt);
  EXPECT_EQ(found.error().message, "the rest is missing");
}

TEST(TextDedupSets, AreWhatTextsAre) {
  const std::vector<std::string> texts = test::make_texts(300, 4);
  const auto sets = shingles(test::views_of(texts));
  const auto by_texts = dedup_texts(test::views_of(texts));
  const auto by_sets = dedup_sets(*sets);
  ASSERT_TRUE(by_texts.is_ok() && by_sets.is_ok());
  EXPECT_EQ(by_texts->kept, by_sets->kept);
  EXPECT_EQ(by_texts->pairs, by_sets->pairs);
  EXPECT_FALSE(by_sets->pairs.empty());
  for (const SimilarIds& pair : by_sets->pairs) {
    EXPECT_LT(pair.a, pair.b);
    EXPECT_GE(pair.similarity, 0.8);
  }
}

TEST(TextDedupSets, MustAscend) {
  const std::vector<uint64_t> offsets = {0, 1, 3};
  const std::vector<uint64_t> elements = {1, 5, 5};
  const auto found = dedup_sets({offsets, elements});
  ASSERT_FALSE(found.is_ok());
  EXPECT_NE(found.error().message.find("set 1"), std::string::npos);
}

TEST(TextDedup, TakesNothingAndEmptyTexts) {
  EXPECT_TRUE(dedup_texts({})->kept.empty());
  const std::vector<std::string_view> texts = {"", "", "a b c d e f", "a b c d e f"};
  const auto found = dedup_texts(texts);
  EXPECT_EQ(found->kept, (std::vector<uint32_t>{0, 1, 2, 2}));
  EXPECT_EQ(found->similarity[3], 1);
}

TEST(TextDedup, RefusesWhatOnlyRunsHave) {
  const std::vector<std::string_view> texts = {"a"};
  EXPECT_FALSE(dedup_texts(texts, {.keep = {"inlinks"}}).is_ok());
  EXPECT_FALSE(dedup_texts(texts, {}, {.width = 0}).is_ok());
  EXPECT_FALSE(dedup_texts(texts, {.similarity = 2}).is_ok());
}

TEST(TextDedup, StopsWhenItIsToldTo) {
  const std::vector<std::string> texts = test::make_texts(500, 2);
  const auto found = dedup_texts(test::views_of(texts), {}, {}, {.threads = 2},
                                 [](const Progress& now) { return now.stage != "matches"; });
  ASSERT_FALSE(found.is_ok());
  EXPECT_EQ(found.error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace kith::api
