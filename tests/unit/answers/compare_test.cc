#include "kith/compare.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "base/random.h"

namespace kith::answers {
namespace {

Document text_of(std::string_view text) {
  return *make_document("made up", text, DocumentFormat::text);
}

const SketchEstimate& row_of(const Comparison& comparison, std::string_view sketch,
                             Measure measure = Measure::resemblance) {
  for (const SketchEstimate& row : comparison.estimates) {
    if (row.sketch.find(sketch) != std::string::npos && row.measure == measure) return row;
  }
  ADD_FAILURE() << "no estimator " << sketch;
  return comparison.estimates.front();
}

// Broder 1997: "a rose is a rose is a rose" has three shingles of four words, as a bag five.
TEST(Compare, ARoseIsARose) {
  const Document a = text_of("a rose is a rose is a rose");
  const Document b = text_of("A rose is a rose!");
  CompareOptions options;
  options.width = 4;
  const auto as_sets = compare(a, b, options);
  ASSERT_TRUE(as_sets);
  EXPECT_EQ(as_sets->a.elements, 3u);
  EXPECT_EQ(as_sets->b.elements, 2u);
  EXPECT_EQ(as_sets->common, 2u);
  EXPECT_EQ(as_sets->resemblance, 2.0 / 3.0);
  EXPECT_EQ(as_sets->containment_of_a, 2.0 / 3.0);
  EXPECT_EQ(as_sets->containment_of_b, 1.0);
  EXPECT_NEAR(as_sets->shingle_cosine, 2.0 / std::sqrt(6.0), 1e-15);
  // Words: a 3, rose 3, is 2 and a 2, rose 2, is 1.
  EXPECT_EQ(as_sets->bag_similarity, 5.0 / 8.0);
  EXPECT_NEAR(as_sets->word_cosine, 14.0 / std::sqrt(22.0 * 9.0), 1e-15);
  options.bag = true;
  const auto as_bags = compare(a, b, options);
  ASSERT_TRUE(as_bags);
  EXPECT_EQ(as_bags->a.elements, 5u);
  EXPECT_EQ(as_bags->resemblance, 2.0 / 5.0);
  EXPECT_EQ(as_bags->bag_similarity, 5.0 / 8.0);
}

TEST(Compare, EqualAndDifferentTexts) {
  const Document a = text_of("one two three four five six seven");
  const Document b = text_of("eight nine ten eleven twelve thirteen");
  const auto same = compare(a, a, {});
  ASSERT_TRUE(same);
  for (const double value : {same->resemblance, same->containment_of_a, same->containment_of_b,
                             same->bag_similarity, same->word_cosine, same->shingle_cosine}) {
    EXPECT_EQ(value, 1.0);
  }
  EXPECT_EQ(same->word_distance, 0u);
  for (const SketchEstimate& row : same->estimates) EXPECT_EQ(row.value, 1.0) << row.sketch;
  const auto strangers = compare(a, b, {});
  ASSERT_TRUE(strangers);
  for (const double value :
       {strangers->resemblance, strangers->containment_of_a, strangers->bag_similarity,
        strangers->word_cosine, strangers->shingle_cosine}) {
    EXPECT_EQ(value, 0.0);
  }
}

TEST(Compare, SketchesThatAreWholeSetsAreExact) {
  const auto comparison = compare(text_of("one two three four five six seven eight"),
                                  text_of("one two three four five six seven nine"), {});
  ASSERT_TRUE(comparison);
  for (const SketchEstimate& row : {row_of(*comparison, "MIN_s"), row_of(*comparison, "MOD_m"),
                                    row_of(*comparison, "MOD_m", Measure::containment_of_a),
                                    row_of(*comparison, "MOD_m", Measure::containment_of_b)}) {
    EXPECT_EQ(row.lower, row.exact);
    EXPECT_EQ(row.value, row.exact);
    EXPECT_EQ(row.upper, row.exact);
  }
}

TEST(Compare, EveryEstimatorIsThere) {
  CompareOptions options;
  options.lanes = 256;
  const auto comparison = compare(text_of("one two three four five six"),
                                  text_of("one two three four five seven"), options);
  ASSERT_TRUE(comparison);
  EXPECT_EQ(row_of(*comparison, "MinHash, 256 lanes").bytes_a, 512u);
  EXPECT_EQ(row_of(*comparison, "MinHash, 256 bins").bytes_a, 512u);
  for (uint32_t bits = 1; bits <= 8; ++bits) {
    EXPECT_EQ(row_of(*comparison, std::to_string(bits) + "-bit").bytes_b, 32u * bits);
  }
  EXPECT_EQ(row_of(*comparison, "18 super-shingles of 14").bytes_a, 144u);
  EXPECT_EQ(row_of(*comparison, "SimHash of words", Measure::word_cosine).bytes_a, 8u);
  EXPECT_EQ(row_of(*comparison, "SimHash of shingles", Measure::shingle_cosine).bytes_a, 8u);
}

// Bounds of 90 % may miss one pair in ten. SimHash of shingles is looked at on sets alone: all
// weights are one.
TEST(Compare, TheTruthIsWithinTheBounds) {
  Rng rng(4);
  CompareOptions options;
  options.confidence = 0.9;
  options.width = 2;
  constexpr int pairs = 200;
  std::vector<int> outside;
  for (int pair = 0; pair < pairs; ++pair) {
    std::string a;
    std::string b;
    const uint64_t different = 1 + rng() % 20;
    for (int word = 0; word < 400; ++word) {
      std::string shared = "w";
      for (int letter = 0; letter < 5; ++letter) {
        shared += static_cast<char>('a' + rng() % 26);
      }
      a += shared + " ";
      b += (rng() % 40 < different ? shared + "x" : shared) + " ";
    }
    const auto comparison = compare(text_of(a), text_of(b), options);
    ASSERT_TRUE(comparison);
    outside.resize(comparison->estimates.size());
    for (size_t i = 0; i < outside.size(); ++i) {
      const SketchEstimate& row = comparison->estimates[i];
      EXPECT_TRUE(row.lower <= row.value && row.value <= row.upper) << row.sketch;
      if (row.exact < row.lower || row.exact > row.upper) ++outside[i];
    }
  }
  for (size_t i = 0; i < outside.size(); ++i) {
    // 20 are expected at most; 40 would be more than four standard deviations above.
    EXPECT_LT(outside[i], 40) << "estimator " << i;
  }
}

TEST(Compare, DocumentsWithoutWordsAreNamed) {
  for (const std::string_view text : {"", " \n"}) {
    const auto comparison = compare(text_of("some words"), text_of(text), {});
    ASSERT_FALSE(comparison);
    EXPECT_EQ(comparison.error().kind, ErrorKind::corrupt);
    EXPECT_NE(comparison.error().message.find("made up"), std::string::npos);
  }
  CompareOptions raw;
  raw.normalize = false;
  EXPECT_TRUE(compare(text_of("1 2 3 !"), text_of("1 2 3 !"), raw));
  raw.characters = true;  // blanks are characters, and no words
  const auto blanks = compare(text_of("      "), text_of("      "), raw);
  ASSERT_TRUE(blanks);
  EXPECT_EQ(blanks->resemblance, 1.0);
  EXPECT_EQ(blanks->bag_similarity, 0.0);
}

TEST(Compare, OptionsOutOfRange) {
  const auto refused = [](auto CompareOptions::*field, auto value) {
    CompareOptions options;
    options.*field = value;
    const Status status = validate(options);
    return !status && status.error().kind == ErrorKind::usage;
  };
  EXPECT_TRUE(validate(CompareOptions()));
  for (const uint32_t width : {0u, 257u}) EXPECT_TRUE(refused(&CompareOptions::width, width));
  for (const uint32_t lanes : {0u, 100u, 1040u}) {
    EXPECT_TRUE(refused(&CompareOptions::lanes, lanes));
  }
  for (const uint32_t s : {0u, 70000u}) EXPECT_TRUE(refused(&CompareOptions::smallest, s));
  for (const uint32_t s : {0u, 129u}) EXPECT_TRUE(refused(&CompareOptions::super_shingle, s));
  for (const double c : {0.0, 1.0, std::nan("")}) {
    EXPECT_TRUE(refused(&CompareOptions::confidence, c));
  }
}

TEST(MakeDocument, KnowsHtmlByNameAndByTag) {
  const auto is_html = [](std::string_view name, std::string_view bytes) {
    const auto document = make_document(name, bytes);
    return document && document->html;
  };
  EXPECT_TRUE(is_html("A.HTML", "plain"));
  EXPECT_TRUE(is_html("a.htm", "plain"));
  EXPECT_TRUE(is_html("a", "\n <!DOCTYPE html>x"));
  EXPECT_TRUE(is_html("a", "\xef\xbb\xbf<html lang=en>x"));
  EXPECT_TRUE(is_html("a", "<?xml version='1.0'?>\n<html>x"));
  EXPECT_TRUE(is_html("a", "<P>x"));
  EXPECT_FALSE(is_html("a.txt", "1 < 2"));
  EXPECT_FALSE(is_html("a", "<people>"));  // no such tag
  EXPECT_FALSE(is_html("a", "<?xml version='1.0'?><svg>"));
  EXPECT_FALSE(is_html("a", "text <html>"));
}

TEST(MakeDocument, CleansHtmlAsTheCrawlDoes) {
  const auto document =
      make_document("a", "<meta charset=latin1><p>caf\xe9 &amp; <b>t</b>ea<script>no()</script>",
                    DocumentFormat::html);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->text, "caf\xc3\xa9 & tea");
  EXPECT_EQ(document->charset, "windows-1252");
  EXPECT_EQ(make_document("a", "<p>x", DocumentFormat::text)->text, "<p>x");
}

TEST(MakeDocument, RefusesWhatIsNoText) {
  using namespace std::string_view_literals;
  for (const std::string_view bytes :
       {"WARC/1.0\r\n"sv, "\x1f\x8b\x08"sv, "\x28\xb5\x2f\xfd"sv, "%PDF-1.4"sv, "ELF\0\1"sv}) {
    const auto document = make_document("some name", bytes);
    ASSERT_FALSE(document);
    EXPECT_NE(document.error().message.find("some name"), std::string::npos);
  }
  EXPECT_TRUE(make_document("utf-16", "\xff\xfeh\0i\0"sv));
}

}  // namespace
}  // namespace kith::answers
