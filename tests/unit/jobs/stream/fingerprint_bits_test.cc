// What leading bits of fingerprints join and part, beside plain loops over all pairs.
#include <algorithm>
#include <bit>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kith/stream_job.h"

#include "base/hash.h"
#include "base/random.h"
#include "jobs/stream/shared_prefixes.h"
#include "similar/fingerprints/simhash_join.h"
#include "support/temp_dir.h"

namespace kith::jobs {
namespace {

// Sets of some families, of few elements and of many, equal ones and empty ones among them.
Sets random_sets(uint64_t seed, size_t n) {
  Rng rng(seed);
  Sets sets;
  std::vector<uint64_t> previous;
  for (size_t i = 0; i < n; ++i) {
    std::set<uint64_t> set;
    const uint64_t family = rng.below(6);
    const uint64_t size = rng.below(30) == 0 ? 0 : 1 + rng.below(4) * 15;
    for (uint64_t element = 0; element < size; ++element) {
      // Elements of all sets, of a family, and of one set.
      const uint64_t kind = rng.below(20);
      set.insert(mix64(kind == 0   ? element
                       : kind == 1 ? (i << 20 | element)
                                   : family << 40 | element));
    }
    if (rng.below(8) == 0) set = {previous.begin(), previous.end()};
    previous.assign(set.begin(), set.end());
    sets.elements.insert(sets.elements.end(), set.begin(), set.end());
    sets.offsets.push_back(sets.elements.size());
  }
  return sets;
}

double resemblance(std::span<const uint64_t> a, std::span<const uint64_t> b) {
  std::vector<uint64_t> common;
  std::ranges::set_intersection(a, b, std::back_inserter(common));
  return static_cast<double>(common.size()) /
         static_cast<double>(a.size() + b.size() - common.size());
}

SharedPrefixes plain(const Sets& sets, size_t page, double similarity) {
  SharedPrefixes found;
  for (size_t other = 0; other < sets.size(); ++other) {
    if (other == page || sets[page].empty() || sets[other].empty()) continue;
    const int bits = std::countl_zero(similar::set_fingerprint(sets[page]) ^
                                      similar::set_fingerprint(sets[other]));
    if (resemblance(sets[page], sets[other]) >= similarity) {
      found.alike = std::max(found.alike, bits);
    } else if (bits >= min_prefix_bits) {
      found.unlike = std::max(found.unlike, bits);
    }
  }
  return found;
}

TEST(SharedPrefixes, AreThoseOfAllPairs) {
  int alike = 0;
  int unlike = 0;
  for (const double similarity : {0.05, 0.3, 0.5, 0.8, 1.0}) {
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE(testing::Message() << similarity << ", seed " << seed);
      const Sets sets = random_sets(seed, 150);
      const auto found = shared_prefixes(sets, similarity);
      ASSERT_EQ(found.size(), sets.size());
      for (size_t page = 0; page < sets.size(); ++page) {
        const SharedPrefixes expected = plain(sets, page, similarity);
        EXPECT_EQ(found[page].alike, expected.alike) << page;
        EXPECT_EQ(found[page].unlike, expected.unlike) << page;
        alike += expected.alike >= 0 && expected.alike < 64 ? 1 : 0;
        unlike += expected.unlike > 0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(alike, 100);
  EXPECT_GT(unlike, 100);
}

TEST(SharedPrefixes, OfNothingAndOfOne) {
  EXPECT_TRUE(shared_prefixes(Sets(), 0.8).empty());
  Sets sets;
  sets.elements = {1, 2};
  sets.offsets = {0, 2};
  const auto found = shared_prefixes(sets, 0.8);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].alike, -1);
  EXPECT_EQ(found[0].unlike, 0);
}

std::string lines_of(const std::vector<std::string>& texts) {
  std::string lines;
  for (size_t i = 0; i < texts.size(); ++i) {
    lines += R"({"id": )" + std::to_string(i) + R"(, "text": ")" + texts[i] + "\"}\n";
  }
  return lines;
}

TEST(FingerprintBits, CountsAndWeighs) {
  const test::TempDir dir(test::Medium::memory);
  test::write_file(dir / "pages.jsonl",
                   lines_of({"one two three four five six", "one two three four five six", "", " ",
                             "another page about other things than these"}));
  FingerprintBitsOptions options;
  options.inputs = {dir / "pages.jsonl"};
  options.documents = 3;
  auto report = tune_fingerprint_bits(options);
  ASSERT_TRUE(report.is_ok()) << report.status().error().message;
  EXPECT_EQ(report->pages, 3U);
  EXPECT_EQ(report->empty, 2U);
  EXPECT_EQ(report->resembling, 2U);
  ASSERT_EQ(report->errors.size(), 49U);
  for (uint32_t bits = 16; bits <= 64; ++bits) {
    const FingerprintErrors& of = report->errors[bits - 16];
    EXPECT_EQ(of.bits, bits);
    EXPECT_EQ(of.joined, 0U);
    EXPECT_EQ(of.parted, 0U);
    EXPECT_EQ(of.chance, 0);
  }
  EXPECT_EQ(report->best, 64U);
  options.documents = 1'000'003;
  report = tune_fingerprint_bits(options);
  ASSERT_TRUE(report.is_ok());
  // 1 - (1 - 2^-20)^1000000
  EXPECT_NEAR(report->errors[4].chance, 0.6146776, 1e-6);
  EXPECT_NEAR(report->errors[48].chance, 1e6 / 0x1p64, 1e-18);
}

// Two pages that differ in one word of many: the wider the bits, the more surely they are parted.
TEST(FingerprintBits, TheBestPartsAndJoinsFewest) {
  const test::TempDir dir(test::Medium::memory);
  Rng rng(5);
  std::vector<std::string> texts;
  for (int i = 0; i < 60; ++i) {
    std::string text;
    for (int letter = 0; letter < 1200; ++letter) {
      text += letter % 5 == 4 ? ' ' : static_cast<char>('a' + rng.below(26));
    }
    texts.push_back(text);
    texts.push_back(text + "some more words that part them");
  }
  test::write_file(dir / "pages.jsonl", lines_of(texts));
  FingerprintBitsOptions options;
  options.inputs = {dir / "pages.jsonl"};
  options.documents = 10'000'000;
  const auto report = tune_fingerprint_bits(options);
  ASSERT_TRUE(report.is_ok());
  EXPECT_EQ(report->resembling, 120U);
  const auto share = [&](const FingerprintErrors& of) {
    return static_cast<double>(of.joined + of.parted) / 120 + of.chance;
  };
  for (size_t i = 1; i < report->errors.size(); ++i) {
    EXPECT_LE(report->errors[i - 1].parted, report->errors[i].parted);
    EXPECT_GE(report->errors[i - 1].joined, report->errors[i].joined);
  }
  EXPECT_GT(report->errors.back().parted, report->errors.front().parted);
  const FingerprintErrors& best = report->errors[report->best - 16];
  for (const FingerprintErrors& of : report->errors) {
    EXPECT_GE(share(of), share(best)) << of.bits;
    if (of.bits > best.bits) {
      EXPECT_GT(share(of), share(best)) << of.bits;
    }
  }
}

TEST(FingerprintBits, RefusesWhatItCannotUse) {
  const test::TempDir dir(test::Medium::memory);
  test::write_file(dir / "empty.jsonl", lines_of({" ", ""}));
  FingerprintBitsOptions options;
  options.inputs = {dir / "empty.jsonl"};
  const auto message = [](const FingerprintBitsOptions& of) {
    const auto report = tune_fingerprint_bits(of);
    EXPECT_FALSE(report.is_ok());
    if (report.is_ok()) return std::string();
    EXPECT_EQ(report.error().kind, ErrorKind::usage);
    return report.error().message;
  };
  EXPECT_NE(message(options).find("no page of the sample has words"), std::string::npos);
  options.similarity = 0;
  EXPECT_NE(message(options).find("similarity = 0"), std::string::npos);
  options.similarity = 0.8;
  options.shingles.width = 0;
  EXPECT_NE(message(options).find("width"), std::string::npos);
}

}  // namespace
}  // namespace kith::jobs
