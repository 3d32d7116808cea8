// kith::find_contamination beside its definition: every passage of every document for every item.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "kith/contaminated.h"

#include "base/random.h"
#include "support/temp_dir.h"

namespace kith {
namespace {

using Words = std::vector<std::string>;
using Shingles = std::map<Words, uint64_t>;

Words words_of(const std::string& text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string text_of(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

Words part(const Words& words, size_t begin, size_t size) {
  return {words.begin() + static_cast<ptrdiff_t>(begin),
          words.begin() + static_cast<ptrdiff_t>(begin + size)};
}

Shingles shingles_of(const Words& words, size_t width) {
  Shingles shingles;
  for (size_t k = 0; k + width <= words.size(); ++k) ++shingles[part(words, k, width)];
  return shingles;
}

uint64_t shared(const Shingles& item, const Shingles& passage) {
  uint64_t sum = 0;
  for (const auto& [shingle, count] : item) {
    const auto found = passage.find(shingle);
    if (found != passage.end()) sum += std::min(count, found->second);
  }
  return sum;
}

// A hit: item, document, shingles of the passage, shingles that count.
using Hit = std::tuple<size_t, size_t, uint64_t, uint64_t>;

struct Suite {
  ContaminationRule rule;
  size_t min_words = 1;
  std::vector<Words> items;
};

// The shingles of an item that count.
Shingles own_shingles(const Suite& suite, const Words& item) {
  std::map<Words, std::set<Words>> items_of;
  for (const Words& other : suite.items) {
    if (other.size() < suite.min_words) continue;
    for (const auto& [shingle, count] : shingles_of(other, suite.rule.width)) {
      items_of[shingle].insert(other);
    }
  }
  Shingles own = shingles_of(item, suite.rule.width);
  std::erase_if(own, [&](const auto& entry) {
    const std::set<std::string> different(entry.first.begin(), entry.first.end());
    return items_of[entry.first].size() > max_items_of_shingle ||
           different.size() < std::min<size_t>((suite.rule.width + 1) / 2, 8);
  });
  return own;
}

std::vector<Hit> by_definition(const Suite& suite, const std::vector<Words>& documents) {
  std::vector<Hit> hits;
  for (size_t i = 0; i < suite.items.size(); ++i) {
    const Words& item = suite.items[i];
    if (item.size() < suite.min_words) continue;
    const Shingles own = own_shingles(suite, item);
    uint64_t size = 0;
    for (const auto& [shingle, count] : own) size += count;
    const double needed = std::max(1.0, suite.rule.containment * static_cast<double>(size) - 1e-9);
    for (size_t d = 0; d < documents.size(); ++d) {
      const Words& document = documents[d];
      if (own.empty()) {
        const auto found = std::search(document.begin(), document.end(), item.begin(), item.end());
        if (found != document.end()) hits.emplace_back(i, d, 1, 0);
        continue;
      }
      uint64_t best = 0;
      for (size_t k = 0; k < document.size(); ++k) {
        const size_t longest = std::min(2 * item.size(), document.size() - k);
        best =
            std::max(best, shared(own, shingles_of(part(document, k, longest), suite.rule.width)));
      }
      if (static_cast<double>(best) >= needed) hits.emplace_back(i, d, best, size);
    }
  }
  std::ranges::sort(hits);
  return hits;
}

// Marks the words of a document that are cut out for an item with these shingles that count.
void mark_cuts(const Suite& suite, const Words& item, const Shingles& own, const Words& document,
               std::vector<bool>& cut) {
  const size_t width = own.empty() ? item.size() : suite.rule.width;
  uint64_t size = 0;
  for (const auto& [shingle, count] : own) size += count;
  const double needed = std::max(1.0, suite.rule.containment * static_cast<double>(size) - 1e-9);
  for (size_t end = width; end <= document.size(); ++end) {
    const Words last = part(document, end - width, width);
    if (own.empty() ? last != item : !own.contains(last)) continue;
    // The shortest passage with that end.
    for (size_t n = width; n <= std::min(end, 2 * item.size()); ++n) {
      const Shingles there = shingles_of(part(document, end - n, n), width);
      if (!own.empty() && static_cast<double>(shared(own, there)) < needed) continue;
      std::fill_n(cut.begin() + static_cast<ptrdiff_t>(end - n), n, true);
      break;
    }
  }
}

// The documents without what is cut out of them.
std::vector<Words> left_by_definition(const Suite& suite, const std::vector<Words>& documents) {
  std::vector<std::vector<bool>> cuts;
  for (const Words& document : documents) cuts.emplace_back(document.size());
  for (const Words& item : suite.items) {
    if (item.size() < suite.min_words) continue;
    const Shingles own = own_shingles(suite, item);
    for (size_t d = 0; d < documents.size(); ++d) {
      mark_cuts(suite, item, own, documents[d], cuts[d]);
    }
  }
  std::vector<Words> left(documents.size());
  for (size_t d = 0; d < documents.size(); ++d) {
    for (size_t i = 0; i < documents[d].size(); ++i) {
      if (!cuts[d][i]) left[d].push_back(documents[d][i]);
    }
  }
  return left;
}

Words random_words(Rng& rng, size_t n, size_t vocabulary) {
  Words words(n);
  for (std::string& word : words) word = "w" + std::to_string(rng.below(vocabulary));
  return words;
}

// Items of which some begin alike, are repetitive, short or equal; documents with parts of them.
struct Made {
  Suite suite;
  std::vector<Words> documents;

  Made(ContaminationRule rule, size_t min_words, size_t vocabulary, uint64_t seed)
      : suite{rule, min_words, {}} {
    Rng rng(seed);
    const Words instruction = random_words(rng, 6, vocabulary);
    for (size_t i = 0; i < 40; ++i) {
      Words item = i % 3 == 0 ? instruction : Words();
      const Words more = random_words(rng, rng.below(20), vocabulary);
      item.insert(item.end(), more.begin(), more.end());
      if (i % 7 == 0) item = Words(8 + rng.below(8), "w1");
      if (i % 11 == 0 && i > 0) item = suite.items[rng.below(i)];
      if (item.empty()) item = {"w0"};
      suite.items.push_back(item);
    }
    for (size_t d = 0; d < 40; ++d) {
      Words document = random_words(rng, rng.below(40), vocabulary);
      for (uint64_t pieces = rng.below(4); pieces > 0; --pieces) {
        const Words& item = suite.items[rng.below(suite.items.size())];
        const size_t begin = rng.below(item.size());
        const Words piece = part(item, begin, 1 + rng.below(item.size() - begin));
        document.insert(document.end(), piece.begin(), piece.end());
        const Words more = random_words(rng, rng.below(6), vocabulary);
        document.insert(document.end(), more.begin(), more.end());
      }
      documents.push_back(document);
    }
  }
};

std::string lines_of(const std::vector<Words>& texts) {
  std::string lines;
  for (size_t i = 0; i < texts.size(); ++i) {
    lines += nlohmann::json{{"id", std::to_string(i)}, {"text", text_of(texts[i])}}.dump() + "\n";
  }
  return lines;
}

class ContaminationTest : public testing::Test {
 protected:
  ContaminationOptions options() const {
    ContaminationOptions options;
    options.inputs = {dir_ / "documents.jsonl"};
    options.evals = {dir_ / "evals.jsonl"};
    options.threads = 3;
    return options;
  }

  void expect_definition(const Made& made) {
    test::write_file(dir_ / "documents.jsonl", lines_of(made.documents));
    test::write_file(dir_ / "evals.jsonl", lines_of(made.suite.items));
    ContaminationOptions given = options();
    given.rule = made.suite.rule;
    given.min_words = static_cast<uint32_t>(made.suite.min_words);
    given.write_texts = dir_ / "texts.jsonl";
    std::vector<Hit> hits;
    const auto take = [&](const ContaminationHit& hit) {
      const size_t item = std::stoul(std::string(hit.item));
      const Words passage = words_of(std::string(hit.passage));
      const Words& words = made.suite.items[item];
      const Shingles own = own_shingles(made.suite, words);
      const uint64_t matched =
          hit.shingles == 0 ? 1 : shared(own, shingles_of(passage, made.suite.rule.width));
      EXPECT_LE(passage.size(), 2 * words.size());
      if (hit.shingles == 0) {
        EXPECT_EQ(passage, words);
      }
      const double share =
          hit.shingles == 0 ? 1 : static_cast<double>(matched) / static_cast<double>(hit.shingles);
      EXPECT_DOUBLE_EQ(hit.containment, share)
          << text_of(words) << "\n"
          << text_of(made.documents[std::stoul(std::string(hit.document))]) << "\n"
          << hit.passage;
      hits.emplace_back(item, std::stoul(std::string(hit.document)), matched, hit.shingles);
      return true;
    };
    const auto report = find_contamination(given, take);
    ASSERT_TRUE(report.is_ok()) << report.error().message;
    std::ranges::sort(hits);
    EXPECT_EQ(hits, by_definition(made.suite, made.documents));
    all_ += hits.size();
    EXPECT_EQ(texts_left(), left_by_definition(made.suite, made.documents));
  }

  // The words of the file of texts, which is removed.
  std::vector<Words> texts_left() {
    std::istringstream lines(test::read_file(dir_ / "texts.jsonl"));
    std::vector<Words> texts;
    for (std::string line; std::getline(lines, line);) {
      texts.push_back(words_of(nlohmann::json::parse(line)["text"].get<std::string>()));
    }
    std::filesystem::remove(dir_ / "texts.jsonl");
    return texts;
  }

  test::TempDir dir_;
  size_t all_ = 0;
};

TEST_F(ContaminationTest, TwinByDefinition) {
  const ContaminationRule rules[] = {{2, 0}, {2, 1}, {3, 0.5}, {4, 0.7}, {8, 0.7}, {13, 0}};
  uint64_t seed = 1;
  for (const ContaminationRule& rule : rules) {
    for (const size_t vocabulary : {3, 12, 400}) {
      for (const size_t min_words : {1, 5}) {
        SCOPED_TRACE(testing::Message() << rule.width << " " << rule.containment << " "
                                        << vocabulary << " " << min_words);
        expect_definition(Made(rule, min_words, vocabulary, seed++));
      }
    }
  }
  EXPECT_GT(all_, 1000U);
}

TEST_F(ContaminationTest, FindsTheBestPassageAmongMillionsOfMatches) {
  Made made({3, 0.7}, 1, 400, 1);
  const auto alternating = [](size_t size) {
    Words words(size, "w1");
    for (size_t i = 1; i < size; i += 2) words[i] = "w2";
    return words;
  };
  made.suite.items = {alternating(30)};
  Rng rng(5);
  const Words item = random_words(rng, 30, 400);
  made.suite.items.push_back(item);
  Words before = alternating(100'000);
  const Words piece = part(item, 0, 25);
  before.insert(before.begin() + 500, piece.begin(), piece.end());
  Words after = before;
  after.insert(after.end(), item.begin(), item.end());
  const Words rest = alternating(50'000);
  after.insert(after.end(), rest.begin(), rest.end());
  made.documents = {alternating(100'000), before, after};
  test::write_file(dir_ / "documents.jsonl", lines_of(made.documents));
  test::write_file(dir_ / "evals.jsonl", lines_of(made.suite.items));
  ContaminationOptions given = options();
  given.rule = made.suite.rule;
  std::vector<Hit> hits;
  const auto report = find_contamination(given, [&](const ContaminationHit& hit) {
    hits.emplace_back(std::stoul(std::string(hit.item)), std::stoul(std::string(hit.document)),
                      std::lround(hit.containment * static_cast<double>(hit.shingles)),
                      hit.shingles);
    return true;
  });
  ASSERT_TRUE(report.is_ok()) << report.error().message;
  std::ranges::sort(hits);
  EXPECT_EQ(hits,
            (std::vector<Hit>{
                {0, 0, 28, 28}, {0, 1, 28, 28}, {0, 2, 28, 28}, {1, 1, 23, 28}, {1, 2, 28, 28}}));
}

TEST_F(ContaminationTest, StopsWhereNoMoreHitsAreWanted) {
  const Made made({4, 0.5}, 5, 400, 3);
  test::write_file(dir_ / "documents.jsonl", lines_of(made.documents));
  test::write_file(dir_ / "evals.jsonl", lines_of(made.suite.items));
  ContaminationOptions given = options();
  given.rule = made.suite.rule;
  given.write = dir_ / "copy.jsonl";
  given.write_texts = dir_ / "texts.jsonl";
  size_t calls = 0;
  const auto report =
      find_contamination(given, [&](const ContaminationHit&) { return ++calls < 3; });
  ASSERT_TRUE(report.is_ok()) << report.error().message;
  EXPECT_EQ(calls, 3U);
  EXPECT_EQ(report->copy.files, 0U);
  EXPECT_FALSE(std::filesystem::exists(given.write_texts));
  EXPECT_FALSE(std::filesystem::exists(given.write_texts + ".tmp"));
}

TEST_F(ContaminationTest, RefusesOptionsOutOfRange) {
  const auto expect_refused = [&](const auto& change, const std::string& says) {
    ContaminationOptions given = options();
    change(given);
    const Status status = validate(given);
    ASSERT_FALSE(status.is_ok()) << says;
    EXPECT_EQ(status.error().kind, ErrorKind::usage);
    EXPECT_NE(status.error().message.find(says), std::string::npos) << status.error().message;
  };
  using Options = ContaminationOptions;
  expect_refused([](Options& o) { o.evals.clear(); }, "evals");
  expect_refused([](Options& o) { o.rule.width = 1; }, "width = 1");
  expect_refused([](Options& o) { o.rule.width = 257; }, "width = 257");
  expect_refused([](Options& o) { o.rule.containment = 1.1; }, "containment = 1.1");
  expect_refused([](Options& o) { o.rule.containment = std::nan(""); }, "containment = nan");
  expect_refused([](Options& o) { o.min_words = 0; }, "min_words = 0");
  expect_refused([](Options& o) { o.suites = {{.name = "a", .width = 1}}; }, "suite a: width = 1");
  expect_refused([](Options& o) { o.suites = {{.name = "a"}, {.name = "a"}}; }, "suite a");
}

}  // namespace
}  // namespace kith
