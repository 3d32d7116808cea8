// What documents of a stream are compared by, and which states of it can come about.
#include "jobs/stream/features.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "unit/jobs/stream/elements.h"

namespace kith::jobs {
namespace {

StreamOptions of_kind(StreamBy by) {
  StreamOptions options;
  options.by = by;
  return options;
}

TEST(StreamFeatures, OfNothingAreSimilarToNothing) {
  const Elements some{uint64_t{1} << 32 | 1};
  for (const StreamBy by :
       {StreamBy::shingles, StreamBy::simhash, StreamBy::fingerprint, StreamBy::bags}) {
    EXPECT_EQ(similarity_of(of_kind(by), {}, some), 0) << name(by);
    EXPECT_EQ(similarity_of(of_kind(by), some, {}), 0) << name(by);
    EXPECT_EQ(similarity_of(of_kind(by), {}, {}), 0) << name(by);
  }
}

TEST(StreamFeatures, FingerprintsAreEqualOrNot) {
  const Elements a{6};
  const Elements b{7};
  EXPECT_EQ(similarity_of(of_kind(StreamBy::fingerprint), a, a), 1);
  EXPECT_EQ(similarity_of(of_kind(StreamBy::fingerprint), a, b), 0);
  EXPECT_EQ(similarity_of(of_kind(StreamBy::simhash), a, b), 1 - 1 / 64.0);
}

TEST(StreamFeatures, AreSoundWhereAPageCanHaveThem) {
  constexpr uint64_t term = uint64_t{1} << 32;
  const StreamOptions learnt = of_kind(StreamBy::bags);
  StreamOptions weighted = learnt;
  weighted.dictionary = "run";
  const Elements counts{term | 2, 2 * term | 1};
  EXPECT_TRUE(are_sound(learnt, counts));
  EXPECT_FALSE(are_sound(weighted, counts));
  EXPECT_TRUE(are_sound(weighted, bag({{1, 1}, {2, 3}})));
  for (const StreamOptions& options : {learnt, weighted}) {
    EXPECT_TRUE(are_sound(options, {}));
    EXPECT_FALSE(are_sound(options, Elements{2 * term | 1, term | 1}));
    EXPECT_FALSE(are_sound(options, Elements{term | 1, term | 2}));
    EXPECT_FALSE(are_sound(options, Elements{term, 2 * term | sketch::bag_total}));
  }
  EXPECT_FALSE(are_sound(of_kind(StreamBy::simhash), Elements{1, 2}));
  EXPECT_FALSE(are_sound(of_kind(StreamBy::shingles), Elements{2, 2}));
}

TEST(StreamFeatures, AreKeptHoweverManyThereAre) {
  for (const Elements& elements : {Elements{}, Elements{7}, Elements{7, 8, 9}}) {
    const KeptFeatures kept(elements);
    EXPECT_TRUE(std::ranges::equal(kept.view(), elements));
    EXPECT_EQ(kept.bytes(), elements.size() > 1 ? elements.size() * sizeof(uint64_t) : 0);
  }
}

TEST(StreamFeatures, AHorizonBeyondAllTimesIsTheLastOne) {
  StreamOptions options;
  options.similarity = 0.25;
  options.half_life_ms = 1000;
  EXPECT_EQ(horizon_ms(options), 2001);
  options.half_life_ms = std::numeric_limits<int64_t>::max() / 2 + 1;
  EXPECT_EQ(horizon_ms(options), std::numeric_limits<int64_t>::max());
}

TEST(WordWeights, AreRestoredOnlyAsTheyCanHaveBeen) {
  using Word = WordWeights::Word;
  constexpr uint64_t most = 4;
  const auto restored = [](uint64_t pages, uint64_t known, const std::vector<Word>& words) {
    WordWeights weights(most);
    if (!weights.restore(pages, known, words)) return false;
    EXPECT_EQ(weights.pages(), pages);
    EXPECT_EQ(weights.known_pages(), known);
    EXPECT_EQ(weights.words().size(), words.size());
    return true;
  };
  EXPECT_TRUE(restored(255, 0, {{1, 255, 0}}));
  EXPECT_TRUE(restored(300, 256, {{1, 300, 256}, {2, 1, 0}}));
  // No epoch has begun at these numbers of pages, or one has.
  EXPECT_FALSE(restored(300, 255, {}));
  EXPECT_FALSE(restored(300, 300, {}));
  EXPECT_FALSE(restored(300, 128, {}));
  EXPECT_FALSE(restored(256, 0, {}));
  EXPECT_FALSE(restored(300, 512, {}));
  EXPECT_FALSE(restored(300, 256, std::vector<Word>(most + 1, Word{1, 1, 1})));
  EXPECT_FALSE(restored(300, 256, {{1, 0, 0}}));
  EXPECT_FALSE(restored(300, 256, {{1, 301, 0}}));
  EXPECT_FALSE(restored(300, 256, {{1, 20, 21}}));
  EXPECT_FALSE(restored(300, 256, {{1, 300, 257}}));
  EXPECT_FALSE(restored(300, 256, {{1, 2, 1}, {1, 2, 1}}));
}

}  // namespace
}  // namespace kith::jobs
