// Clusters of bags by the mean of their members, and by weights that are learnt, beside their slow
// twin (model.h).
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bags/weights.h"
#include "base/random.h"
#include "jobs/stream/engine.h"
#include "jobs/stream/store.h"
#include "storage/memory_file_system.h"
#include "unit/jobs/stream/elements.h"
#include "unit/jobs/stream/model.h"
#include "unit/jobs/stream/steps.h"

namespace kith::jobs {
namespace {

constexpr uint32_t mean_terms = 24;

// A page of a family: most of its words, and those of the time, which change.
Elements random_page(const StreamOptions& options, Rng& rng, uint64_t at) {
  const uint64_t family = rng.below(3);
  std::vector<bags::RealWeight> weights;
  for (uint32_t word = 0; word < 40; ++word) {
    const bool is_in_fashion = (word + at / 40) % 40 < 20;
    if (!is_in_fashion || rng.below(4) == 0) continue;
    weights.push_back({static_cast<uint32_t>(family * 100 + word), 1.0 + double(rng.below(9))});
  }
  if (rng.below(40) == 0) return {};
  if (!options.dictionary.empty()) return bag(weights);
  Elements counts;
  for (const bags::RealWeight& of : weights) {
    counts.push_back(uint64_t{of.term} << 32 | static_cast<uint32_t>(of.weight));
  }
  return counts;
}

StreamOptions mean_options() {
  StreamOptions options;
  options.by = StreamBy::bags;
  options.dictionary = "any";
  options.leader = StreamLeader::mean;
  options.similarity = 0.3;
  // Tables that miss nothing to speak of.
  options.recall = 0.999999;
  options.max_tables = 1024;
  return options;
}

std::vector<StreamOptions> all_bag_options() {
  StreamOptions plain = mean_options();
  StreamOptions first = plain;
  first.assign = Assign::first;
  StreamOptions aging = plain;
  aging.half_life_ms = 40'000;
  StreamOptions few = first;
  few.most_leaders = 3;
  few.forget_after_pages = 60;
  StreamOptions unmoved = plain;
  unmoved.leader = StreamLeader::first;
  std::vector<StreamOptions> all{plain, first, aging, few, unmoved};
  for (StreamOptions options : std::vector(all)) {
    options.dictionary.clear();
    all.push_back(options);
  }
  return all;
}

std::string snapshot_of(storage::FileSystem& fs, const Engine& engine) {
  EXPECT_TRUE(write_snapshot(fs, "snapshot", engine, StoredProgress()).is_ok());
  const auto bytes = storage::read_file(fs, "snapshot");
  EXPECT_TRUE(bytes.is_ok());
  return *bytes;
}

// The state that a file gives, which must be the same to the last bit.
std::unique_ptr<Engine> read_again(const Engine& engine) {
  storage::MemoryFileSystem fs;
  const std::string bytes = snapshot_of(fs, engine);
  const auto snapshot = Snapshot::open(fs, "snapshot");
  EXPECT_TRUE(snapshot.is_ok());
  auto again = std::make_unique<Engine>(engine.options(), mean_terms);
  EXPECT_TRUE(snapshot->read(*again).is_ok());
  EXPECT_EQ(snapshot_of(fs, *again), bytes);
  return again;
}

TEST(StreamOfBags, DecidesAsThePlainLoopsDoAcrossSnapshots) {
  for (const StreamOptions& options : all_bag_options()) {
    auto engine = std::make_unique<Engine>(options, mean_terms);
    Model model(options, mean_terms);
    Rng rng(7);
    uint64_t largest = 0;
    for (uint64_t at = 0; at < 700; ++at) {
      const std::string name = "page " + std::to_string(rng.below(350));
      const auto time = static_cast<int64_t>(at * 100);
      std::vector<StreamDecision> decisions;
      StreamAnswer expected;
      if (rng.below(12) == 0) {
        engine->remove(name, time, decisions);
        expected = model.remove(name, time);
      } else {
        const Elements elements = random_page(options, rng, at);
        engine->add(name, elements, time, decisions, [](const StreamPair&) {});
        expected = model.add(name, elements, time);
      }
      ASSERT_EQ(text_of(decisions), text_of(expected.decisions)) << at;
      largest = std::max(largest, decisions.back().size);
      if (rng.below(50) == 0) engine = read_again(*engine);
    }
    // Large enough that not every change is looked at.
    if (options.leader == StreamLeader::mean && options.most_leaders == 0 &&
        options.half_life_ms == 0) {
      EXPECT_GT(largest, 40u);
    }
  }
}

// Of 256 pages half have a word, all another one, and one has a third.
class StreamWords : public testing::Test {
 protected:
  static uint64_t word(uint32_t term, uint32_t count = 1) { return uint64_t{term} << 32 | count; }

  static double weight(const WordWeights& weights, const Elements& words, uint32_t term) {
    std::vector<uint64_t> bag;
    weights.weigh(words, bag);
    for (const uint64_t entry : bag) {
      if (entry >> 32 == term) return static_cast<double>(static_cast<uint32_t>(entry));
    }
    return 0;
  }
  // Whether any page began an epoch.
  static bool count_pages(WordWeights& weights, uint32_t pages) {
    bool begun = false;
    for (uint32_t page = 0; page < pages; ++page) {
      Elements words{word(7)};
      if (page % 2 == 0) words.push_back(word(8));
      if (page == 5) words.push_back(word(9));
      begun |= weights.count(words);
    }
    return begun;
  }
};

TEST_F(StreamWords, WeighTheSameUntilTheFirstEpoch) {
  WordWeights weights;
  EXPECT_FALSE(count_pages(weights, 255));
  const Elements page{word(7, 4), word(8), word(9)};
  EXPECT_NEAR(weight(weights, page, 7) / weight(weights, page, 8), 2, 1e-5);
  EXPECT_NEAR(weight(weights, page, 8) / weight(weights, page, 9), 1, 1e-5);
}

TEST_F(StreamWords, WeighByThePagesBeforeTheEpoch) {
  WordWeights weights;
  EXPECT_TRUE(count_pages(weights, 256));
  const Elements page{word(7), word(8), word(9), word(10)};
  const auto ratio = [&](uint32_t a, uint32_t b) {
    return weight(weights, page, a) / weight(weights, page, b);
  };
  EXPECT_NEAR(ratio(8, 9), std::log(257.0 / 128) / std::log(257.0), 1e-4);
  EXPECT_NEAR(ratio(7, 9), std::log(257.0 / 256) / std::log(257.0), 1e-4);
  // A word that nobody had before the epoch.
  EXPECT_NEAR(ratio(10, 9), 1, 1e-5);
  const double before = ratio(8, 9);
  EXPECT_FALSE(count_pages(weights, 255));
  EXPECT_EQ(ratio(8, 9), before);
  EXPECT_TRUE(weights.count({}));
  EXPECT_NE(ratio(8, 9), before);
  EXPECT_EQ(weights.known_pages(), 512u);
}

TEST_F(StreamWords, HaveNoMoreRoomThanStated) {
  WordWeights weights(64);
  for (uint32_t page = 0; page < 256; ++page) {
    weights.count(Elements{word(page), word(1000 + page % 20)});
  }
  // Most stood on one page; those of more are kept.
  std::vector<WordWeights::Word> words = weights.words();
  EXPECT_LE(words.size(), 32u);
  for (uint32_t term = 1000; term < 1020; ++term) {
    EXPECT_EQ(std::ranges::count(words, term, &WordWeights::Word::term), 1) << term;
  }
  for (uint32_t page = 0; page < 200; ++page) weights.count(Elements{word(2000 + page)});
  EXPECT_EQ(weights.words().size(), 64u);
}

TEST_F(StreamWords, RefuseAStateThatCannotBe) {
  const auto is_restored = [](uint64_t pages, uint64_t known_pages, WordWeights::Word word) {
    return WordWeights().restore(pages, known_pages, std::vector<WordWeights::Word>{word});
  };
  EXPECT_TRUE(is_restored(300, 256, {1, 20, 10}));
  EXPECT_TRUE(is_restored(20, 0, {1, 20, 0}));
  EXPECT_FALSE(is_restored(300, 0, {1, 20, 0}));
  EXPECT_FALSE(is_restored(300, 300, {1, 20, 10}));
  EXPECT_FALSE(is_restored(300, 512, {1, 20, 10}));
  EXPECT_FALSE(is_restored(300, 256, {1, 0, 0}));
  EXPECT_FALSE(is_restored(300, 256, {1, 301, 10}));
  EXPECT_FALSE(is_restored(300, 256, {1, 20, 21}));
  EXPECT_FALSE(is_restored(300, 256, {1, 299, 257}));
  const std::vector<WordWeights::Word> twice(2, {1, 20, 10});
  EXPECT_FALSE(WordWeights().restore(300, 256, twice));
}

class StreamMeanOfTwo : public testing::Test {
 protected:
  StreamRole add(const std::string& name, const Elements& elements) {
    decisions.clear();
    engine.add(name, elements, 0, decisions, [](const StreamPair&) {});
    return decisions.back().role;
  }

  Engine engine{mean_options(), mean_terms};
  std::vector<StreamDecision> decisions;
  std::vector<StreamPair> pairs;
  const Elements left = bag({{1, 1}, {2, 1}, {3, 1}});
  const Elements middle = bag({{2, 1}, {3, 1}, {4, 1}});
  const Elements right = bag({{3, 1}, {4, 1}, {5, 1}});
};

TEST_F(StreamMeanOfTwo, MovesWithItsMembers) {
  EXPECT_EQ(add("left", left), StreamRole::leader);
  EXPECT_EQ(add("middle", middle), StreamRole::member);
  EXPECT_NEAR(decisions.back().similarity, 0.5, 1e-6);
  // To the first page it is 1 / 5 alone, which would not do.
  EXPECT_EQ(add("right", right), StreamRole::member);
  EXPECT_NEAR(decisions.back().similarity, 1.0 / 3, 1e-6);
  EXPECT_EQ(decisions.back().leader, "left");
  // The name is that of the first page, and so is what a duplicate is one of.
  EXPECT_EQ(add("copy", left), StreamRole::duplicate);
  EXPECT_LT(decisions.back().similarity, 1);
}

TEST_F(StreamMeanOfTwo, PassesItsNameOnAndDecidesNobodyAnew) {
  add("left", left);
  add("middle", middle);
  add("right", right);
  decisions.clear();
  engine.remove("left", 0, decisions);
  ASSERT_EQ(decisions.size(), 2u);
  EXPECT_EQ(decisions[0].document, "middle");
  EXPECT_EQ(decisions[0].role, StreamRole::moved);
  EXPECT_EQ(decisions[0].size, 2u);
  // A cluster of one page is compared by that page.
  decisions.clear();
  engine.remove("middle", 0, decisions);
  EXPECT_EQ(decisions[0].document, "right");
  add("again", right);
  EXPECT_EQ(decisions.back().role, StreamRole::duplicate);
  EXPECT_EQ(decisions.back().similarity, 1);
}

TEST_F(StreamMeanOfTwo, StaysWhereCopiesCome) {
  add("left", left);
  for (int copy = 0; copy < 100; ++copy) {
    EXPECT_EQ(add("copy " + std::to_string(copy), left), StreamRole::duplicate);
    EXPECT_EQ(decisions.back().similarity, 1);
  }
}

TEST(StreamMean, IsRefusedWhereThereIsNone) {
  const auto message = [](auto change) {
    StreamOptions options = mean_options();
    change(options);
    const Status status = validate(options);
    return status ? std::string() : status.error().message;
  };
  EXPECT_EQ(message([](StreamOptions&) {}), "");
  EXPECT_NE(message([](StreamOptions& of) { of.pairs = true; }), "");
  for (const StreamBy by : {StreamBy::shingles, StreamBy::simhash, StreamBy::fingerprint}) {
    EXPECT_NE(message([&](StreamOptions& of) { of.by = by, of.dictionary.clear(); }), "");
  }
}

}  // namespace
}  // namespace kith::jobs
