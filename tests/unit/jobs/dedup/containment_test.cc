// kith dedup --method containment, against brute force over the shingles of all documents.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "jobs/dedup/groups.h"
#include "jobs/dedup/job.h"
#include "jobs/dedup/match.h"
#include "sketch/estimate.h"
#include "support/temp_dir.h"
#include "text/words/shingles.h"
#include "unit/jobs/dedup/kills.h"
#include "unit/jobs/dedup/texts.h"

namespace kith::jobs {
namespace {

using test::Files;
using test::files_of;

// Texts of which many are a passage of an earlier one, of any share of its length, some with words
// changed; some are an earlier one with other words around, and some equal.
std::vector<std::string> nested_texts(size_t n, uint64_t seed) {
  Rng rng(seed);
  std::vector<std::vector<std::string>> all;
  std::vector<std::string> texts;
  for (size_t i = 0; i < n; ++i) {
    std::vector<std::string> words;
    if (i % 4 == 0) {
      words.resize(1 + rng.below(size_t{1} << (3 + rng.below(8))));
      for (std::string& one : words) one = test::word(rng);
    } else {
      words = all[rng.below(i)];
      const uint64_t kind = rng.below(8);
      if (kind < 4) {
        words.resize(words.size() - rng.below(words.size()));
      } else if (kind < 6) {
        for (uint64_t more = rng.below(2 * words.size() + 1); more > 0; --more) {
          words.push_back(test::word(rng));
        }
      }
      for (uint64_t j = rng.below(3); j > 0; --j) words[rng.below(words.size())] = test::word(rng);
    }
    all.push_back(words);
    std::string text;
    for (const std::string& one : words) text += one + " ";
    texts.push_back(i % 50 == 49 ? std::string(".") : text);
  }
  return texts;
}

class DedupContainmentTest : public testing::Test {
 protected:
  static constexpr size_t count = 400;

  DedupContainmentTest() : texts_(nested_texts(count, 21)) {
    input_ = dir_ / "documents.jsonl";
    test::write_file(input_, test::lines_of(texts_));
    text::Shingler shingler({});
    sets_.resize(count);
    for (size_t i = 0; i < count; ++i) shingler.elements(texts_[i], sets_[i]);
  }

  DedupOptions options(const std::string& folder) const {
    DedupOptions options;
    options.inputs = {input_};
    options.output = dir_ / folder;
    options.method = DedupMethod::containment;
    options.recall = 0.99999;  // so that brute force finds the same
    options.threads = 2;
    return options;
  }

  // How much of a is in b.
  double containment(size_t a, size_t b) const {
    return sketch::overlap(sets_[a], sets_[b]).containment_of_a();
  }
  bool is_pair(size_t a, size_t b, double similarity) const {
    return std::max(containment(a, b), containment(b, a)) >= similarity;
  }

  // CENTER by its definition, the longest first.
  std::vector<size_t> centers(double similarity, const std::string& keep) const {
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, [&](size_t a, size_t b) {
      if (sets_[a].size() != sets_[b].size()) return sets_[a].size() > sets_[b].size();
      return keep == "longest" && texts_[a].size() > texts_[b].size();
    });
    std::vector<size_t> center(count, count);
    for (const size_t id : order) {
      if (center[id] != count) continue;
      center[id] = id;
      for (size_t other = 0; other < count; ++other) {
        if (center[other] == count && is_pair(id, other, similarity)) center[other] = id;
      }
    }
    return center;
  }

  test::TempDir dir_{test::Medium::memory};
  std::vector<std::string> texts_;
  std::vector<std::vector<uint64_t>> sets_;
  std::string input_;
};

TEST_F(DedupContainmentTest, GroupsAreThoseOfBruteForce) {
  for (const double similarity : {0.6, 0.9, 1.0}) {
    for (const std::string keep : {"first", "longest"}) {
      DedupOptions request = options(std::to_string(similarity) + std::string(keep));
      request.similarity = similarity;
      request.keep = {keep};
      request.check_queries = 1000;  // all
      const auto report = kith::dedup(request);
      ASSERT_TRUE(report.is_ok()) << report.error().message;
      const auto groups =
          Groups::open(storage::posix_file_system(), request.output + "/groups.kith", count);
      ASSERT_TRUE(groups.is_ok());
      const std::vector<size_t> center = centers(similarity, keep);
      uint64_t removed = 0;
      for (size_t id = 0; id < count; ++id) {
        const uint32_t kept = groups->kept()[id];
        EXPECT_EQ(kept, center[id]) << id;
        if (kept == id) continue;
        ++removed;
        EXPECT_GE(containment(id, kept), similarity) << id;
        EXPECT_LE(sets_[id].size(), sets_[kept].size()) << id;
        EXPECT_EQ(groups->kept()[kept], kept);
      }
      ASSERT_GT(removed, 50u);
      EXPECT_EQ(report->groups.removed, removed);
      EXPECT_EQ(report->groups.weak, 0u);
      EXPECT_GT(report->check.true_pairs, 100u);
      EXPECT_EQ(report->check.recall, 1.0);
      EXPECT_FALSE(report->samples.empty());
    }
  }
}

// What MinHash cannot find: a passage of a text fifty times as long.
TEST_F(DedupContainmentTest, TheLongTextStays) {
  Rng rng(3);
  std::string before;
  std::string passage;
  for (int i = 0; i < 2000; ++i) before += test::word(rng) + " ";
  for (int i = 0; i < 40; ++i) passage += test::word(rng) + " ";
  test::write_file(dir_ / "two.jsonl", test::lines_of({passage, before + passage}));
  for (const DedupMethod method : {DedupMethod::containment, DedupMethod::minhash}) {
    DedupOptions request = options(std::string(name(method)));
    request.inputs = {dir_ / "two.jsonl"};
    request.method = method;
    ASSERT_TRUE(kith::dedup(request).is_ok());
    const auto kept = test::rows_of(request.output + "/keep.tsv");
    ASSERT_EQ(kept.size(), method == DedupMethod::containment ? 2u : 3u);
    EXPECT_EQ(kept.back()[0], "d1");
  }
}

TEST_F(DedupContainmentTest, BytesDependOnNeitherThreadsNorMemory) {
  ASSERT_TRUE(kith::dedup(options("first")).is_ok());
  const Files expected = files_of(dir_ / "first");
  EXPECT_FALSE(expected.contains("sketches.kith"));
  for (const unsigned threads : {1u, 5u}) {
    DedupOptions request = options("run" + std::to_string(threads));
    request.threads = threads;
    request.memory = threads == 1 ? 64u << 20 : 0;
    ASSERT_TRUE(kith::dedup(request).is_ok());
    EXPECT_TRUE(files_of(request.output) == expected) << threads;
  }
}

TEST_F(DedupContainmentTest, GoesOnWhereItWasKilled) {
  ASSERT_TRUE(kith::dedup(options("whole")).is_ok());
  const Files expected = files_of(dir_ / "whole");
  EXPECT_GT(test::go_on_where_killed(options("run"), expected, 7), 5u);
}

TEST_F(DedupContainmentTest, RefusesWhatWouldRemoveTheContainer) {
  const auto refusal = [](const DedupOptions& request) {
    const Status status = validate(request);
    return status.is_ok() ? std::string() : status.error().message;
  };
  const DedupOptions sound = options("run");
  EXPECT_EQ(refusal(sound), "");
  DedupOptions request = sound;
  request.groups = Grouping::components;
  EXPECT_NE(refusal(request).find("groups = components"), std::string::npos);
  request = sound;
  request.order = CenterOrder::degree;
  EXPECT_NE(refusal(request).find("order = degree"), std::string::npos);
  request = sound;
  request.keep = {"shortest"};
  EXPECT_NE(refusal(request).find("keep = shortest"), std::string::npos);
  request = sound;
  request.verify = false;
  EXPECT_NE(refusal(request).find("verify = false"), std::string::npos);
}

}  // namespace
}  // namespace kith::jobs
