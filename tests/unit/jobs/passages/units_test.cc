// Windows, lines and paragraphs of texts.
#include "jobs/passages/units.h"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "jobs/passages/cutter.h"

namespace kith::jobs {
namespace {

PassageOptions options(PassageUnit unit, uint32_t min_tokens) {
  PassageOptions options;
  options.unit = unit;
  options.min_tokens = min_tokens;
  return options;
}

std::vector<PassageKey> keys(const PassageOptions& options, std::string_view text) {
  PassageUnits units(options);
  std::vector<PassageKey> keys;
  units.read(text, [&](const PassageKey& key) { keys.push_back(key); });
  return keys;
}

// The guarantee of winnowing, and that windows are known by all of their tokens.
TEST(PassageUnits, EqualWindowsHaveEqualAnchorsAndKeys) {
  Rng rng(3);
  for (const uint32_t width : {1u, 2u, 3u, 7u, 8u, 50u}) {
    std::vector<std::string> words(2000);
    for (std::string& word : words) word = static_cast<char>('a' + rng.below(width < 7 ? 9 : 2));
    // The same again at another place.
    const std::vector<std::string> part(words.begin() + 100, words.begin() + 400);
    words.insert(words.end(), part.begin(), part.end());
    std::string text;
    for (const std::string& word : words) text += word + " ";
    const auto all = keys(options(PassageUnit::span, width), text);
    ASSERT_EQ(all.size(), words.size() - width + 1);
    std::map<std::vector<std::string>, std::tuple<uint64_t, uint64_t, uint64_t>> known;
    std::set<std::pair<uint64_t, uint64_t>> different;
    size_t changes = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      const auto begin = words.begin() + static_cast<ptrdiff_t>(i);
      const std::tuple own(all[i].anchor, all[i].key, all[i].check);
      const auto [entry, is_new] = known.try_emplace({begin, begin + width}, own);
      ASSERT_EQ(entry->second, own) << width << " at " << i;
      different.emplace(all[i].key, all[i].check);
      changes += i > 0 && all[i].anchor != all[i - 1].anchor ? 1 : 0;
    }
    EXPECT_EQ(different.size(), known.size());
    // About four in width + 3 windows have another anchor than the one before.
    EXPECT_LT(changes * (width + 3), all.size() * 6);
  }
}

TEST(PassageUnits, ShortTextsHaveNone) {
  EXPECT_TRUE(keys(options(PassageUnit::span, 3), "").empty());
  EXPECT_TRUE(keys(options(PassageUnit::span, 3), "one two").empty());
  EXPECT_EQ(keys(options(PassageUnit::span, 3), "one two three").size(), 1u);
  EXPECT_TRUE(keys(options(PassageUnit::line, 1), "\n \n\t").empty());
  EXPECT_TRUE(keys(options(PassageUnit::line, 2), "one\ntwo").empty());
  EXPECT_EQ(keys(options(PassageUnit::line, 1), "one\n\ntwo").size(), 2u);
}

TEST(PassageUnits, FindsTokensAndLines) {
  PassageUnits spans(options(PassageUnit::span, 2));
  const std::string text = "one, two three; four";
  const auto ignore = [](const PassageKey&) {};
  EXPECT_EQ(spans.find(text, {{0, 1}, {2, 4}}, ignore), (std::vector<ByteRange>{{0, 5}, {9, 20}}));
  PassageUnits lines(options(PassageUnit::line, 1));
  EXPECT_EQ(lines.find("a\n\nb\nc", {{0, 1}, {2, 3}}, ignore),
            (std::vector<ByteRange>{{0, 2}, {5, 6}}));
  // Tokens of more than a block.
  std::string many;
  for (int i = 0; i < 1500; ++i) many += "w ";
  EXPECT_EQ(spans.find(many, {{511, 512}, {1023, 1025}, {1499, 1500}}, ignore),
            (std::vector<ByteRange>{{1022, 1024}, {2046, 2050}, {2998, 3000}}));
}

TEST(CoveredElements, AreUnionsWithoutWhatStays) {
  const std::vector<PassageRun> runs{{0, 2, 3, 2, false}, {0, 5, 1, 4, true}, {0, 40, 1, 2, false}};
  // Units 2 to 5 of width 4 cover elements 2 to 8.
  EXPECT_EQ(covered_elements(runs, 4, PassageMode::remove),
            (std::vector<ElementRange>{{2, 9}, {40, 44}}));
  EXPECT_EQ(covered_elements(runs, 4, PassageMode::first),
            (std::vector<ElementRange>{{2, 5}, {40, 44}}));
  EXPECT_EQ(covered_elements(runs, 1, PassageMode::first),
            (std::vector<ElementRange>{{2, 5}, {40, 41}}));
  EXPECT_TRUE(covered_elements({}, 4, PassageMode::remove).empty());
}

}  // namespace
}  // namespace kith::jobs
