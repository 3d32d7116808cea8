// kith dedup --unit, from documents to texts and lists, against a suffix array.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/random.h"
#include "jobs/passages/job.h"
#include "support/crashing_file_system.h"
#include "support/faulty_file_system.h"
#include "support/temp_dir.h"
#include "unit/jobs/dedup/texts.h"
#include "unit/jobs/passages/suffix_twin.h"

namespace kith::jobs {
namespace {

namespace fs_path = std::filesystem;
using nlohmann::json;
using test::Tokens;

// Of few different words, and parts of earlier ones: so passages overlap, and lie in each other.
std::vector<Tokens> make_documents(size_t n, uint64_t seed, uint64_t words = 26) {
  Rng rng(seed);
  std::vector<Tokens> documents;
  for (size_t i = 0; i < n; ++i) {
    Tokens document;
    for (uint64_t parts = rng.below(6); parts > 0; --parts) {
      if (i > 0 && rng.below(2) == 0) {
        const Tokens& from = documents[rng.below(i)];
        const size_t begin = rng.below(from.size() + 1);
        const size_t end = begin + rng.below(from.size() - begin + 1);
        document.insert(document.end(), from.begin() + static_cast<ptrdiff_t>(begin),
                        from.begin() + static_cast<ptrdiff_t>(end));
      } else {
        for (uint64_t j = rng.below(30); j > 0; --j) {
          document.push_back("w" + std::string(1, static_cast<char>('a' + rng.below(words))));
        }
      }
    }
    documents.push_back(document);
  }
  return documents;
}

std::string joined(const Tokens& tokens) {
  std::string text;
  for (const std::string& token : tokens) text += token + " ";
  return text;
}

class PassagesTest : public testing::Test {
 protected:
  PassageOptions options(const std::string& name) const {
    PassageOptions options;
    options.inputs = {dir_ / "in.jsonl"};
    options.output = dir_ / name;
    options.write = dir_ / (name + ".jsonl");
    options.threads = 2;
    options.min_tokens = 6;
    return options;
  }

  void write(const std::vector<Tokens>& documents) {
    std::vector<std::string> texts;
    for (const Tokens& document : documents) texts.push_back(joined(document));
    test::write_file(dir_ / "in.jsonl", test::lines_of(texts));
  }

  // Runs, and gives the texts that are written, by their ids.
  std::map<std::string, json> run(const PassageOptions& options) {
    fs_path::remove_all(options.output);
    fs_path::remove(options.write);
    const auto report = kith::find_passages(options);
    EXPECT_TRUE(report.is_ok()) << report.error().message;
    if (report) report_ = *report;
    std::map<std::string, json> rows;
    std::istringstream lines(test::read_file(options.write));
    for (std::string line; std::getline(lines, line);) {
      const json row = json::parse(line);
      rows[row["id"]] = row;
    }
    return rows;
  }

  test::TempDir dir_{test::Medium::memory};
  PassageReport report_;
};

TEST_F(PassagesTest, RemovesWhatASuffixArrayFinds) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const auto documents = make_documents(40, seed, seed % 3 == 0 ? 3 : 26);
    write(documents);
    for (const uint32_t width : {1u, 2u, 5u, 6u, 13u}) {
      for (const uint32_t most : {1u, 3u}) {
        SCOPED_TRACE(testing::Message() << seed << ", " << width << " in " << most);
        PassageOptions request = options("run");
        request.min_tokens = width;
        request.max_documents = most;
        const auto rows = run(request);
        const auto expected = test::repeated_tokens(documents, width, most);
        ASSERT_EQ(rows.size(), documents.size());
        for (size_t d = 0; d < documents.size(); ++d) {
          Tokens rest;
          for (size_t i = 0; i < documents[d].size(); ++i) {
            if (!expected[d][i]) rest.push_back(documents[d][i]);
          }
          ASSERT_EQ(rows.at("d" + std::to_string(d))["text"], joined(rest)) << d;
        }
      }
    }
  }
}

// What is left of all documents has every window that stood in two, and fewer of them.
TEST_F(PassagesTest, KeepsOneOfEachPassage) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const auto documents = make_documents(60, seed);
    write(documents);
    PassageOptions request = options("run");
    request.mode = PassageMode::first;
    const auto rows = run(request);
    const auto windows_of = [&](const Tokens& tokens) {
      std::multiset<std::string> windows;
      for (size_t i = 0; i + request.min_tokens <= tokens.size(); ++i) {
        windows.insert(joined({tokens.begin() + static_cast<ptrdiff_t>(i),
                               tokens.begin() + static_cast<ptrdiff_t>(i + request.min_tokens)}));
      }
      return windows;
    };
    std::map<std::string, std::set<size_t>> before;
    std::multiset<std::string> after;
    for (size_t d = 0; d < documents.size(); ++d) {
      for (const std::string& window : windows_of(documents[d])) before[window].insert(d);
      std::istringstream words(rows.at("d" + std::to_string(d))["text"].get<std::string>());
      Tokens rest;
      for (std::string word; words >> word;) rest.push_back(word);
      after.merge(windows_of(rest));
    }
    size_t repeated = 0;
    size_t left = 0;
    for (const auto& [window, in] : before) {
      if (in.size() < 2) continue;
      ASSERT_TRUE(after.contains(window)) << window;
      repeated += in.size();
      left += after.count(window);
    }
    EXPECT_LT(left * 4, repeated * 3);
  }
}

TEST_F(PassagesTest, MarksInCodePoints) {
  const std::string shared = "дом \xf0\x9f\x8f\xa0 и сад, лес и поле ";
  test::write_file(dir_ / "in.jsonl",
                   test::lines_of({"ä " + shared + "один", "два — " + shared + "три"}));
  PassageOptions request = options("run");
  request.mode = PassageMode::mark;
  const auto rows = run(request);
  // U+1F3E0 is a symbol, and so a token.
  EXPECT_EQ(rows.at("d0")["kith_passages"], json::parse("[[2, 26]]"));
  EXPECT_EQ(rows.at("d1")["kith_passages"], json::parse("[[6, 30]]"));
  EXPECT_EQ(rows.at("d0")["text"], "ä " + shared + "один");
  EXPECT_EQ(report_.passages.changed, 2u);
}

TEST_F(PassagesTest, SameForAnyOrderThreadsAndMemory) {
  auto documents = make_documents(300, 5);
  for (const PassageUnit unit : {PassageUnit::span, PassageUnit::line}) {
    std::vector<std::string> texts;
    for (const Tokens& document : documents) {
      std::string text = joined(document);
      // The same word ends lines everywhere.
      for (size_t at = text.find("wa "); at != std::string::npos; at = text.find("wa ", at)) {
        text[at + 2] = '\n';
      }
      texts.push_back(text);
    }
    std::vector<std::string> lines;
    std::istringstream all(test::lines_of(texts));
    for (std::string line; std::getline(all, line);) lines.push_back(line + "\n");
    const auto write_lines = [&] {
      std::string content;
      for (const std::string& line : lines) content += line;
      test::write_file(dir_ / "in.jsonl", content);
    };
    write_lines();
    PassageOptions request = options("run");
    request.unit = unit;
    request.mode = PassageMode::first;
    request.min_tokens = unit == PassageUnit::span ? 6 : 0;
    const auto expected = run(request);
    const test::Files files = test::files_of(request.output);
    EXPECT_GT(report_.passages.lost_bytes, 0u);
    for (const unsigned threads : {1u, 3u}) {
      request.threads = threads;
      request.memory = 64 << 20;
      request.max_page = 1 << 20;
      EXPECT_EQ(run(request), expected);
      for (const char* const list : {"passages.tsv", "losses.tsv"}) {
        EXPECT_EQ(test::files_of(request.output)[list], files.at(list));
      }
    }
    std::reverse(lines.begin(), lines.end());
    write_lines();
    EXPECT_EQ(run(request), expected);
    EXPECT_EQ(test::files_of(request.output)["passages.tsv"], files.at("passages.tsv"));
  }
}

TEST_F(PassagesTest, ListsTheMostFrequentOnes) {
  const std::string common = "one two three four five six seven";
  const std::string rare = "eight nine ten eleven twelve thirteen fourteen";
  std::string lines;
  for (int i = 0; i < 5; ++i) {
    const json row = {
        {"url", "https://h" + std::to_string(i % 2) + ".example/" + std::to_string(i)},
        {"text", "w" + std::to_string(i) + " " + common + " v" + std::to_string(i) +
                     (i < 2 ? " " + rare : "")}};
    lines += row.dump() + "\n";
  }
  test::write_file(dir_ / "in.jsonl", lines);
  PassageOptions request = options("run");
  request.write = {};
  const auto report = kith::find_passages(request);
  ASSERT_TRUE(report.is_ok()) << report.error().message;
  const auto rows = test::rows_of(request.output + "/passages.tsv");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1][1], "5");  // documents
  EXPECT_EQ(rows[1][3], "2");  // hosts
  EXPECT_EQ(rows[1][4], "h0.example:3, h1.example:2");
  EXPECT_EQ(rows[1][7], common);
  EXPECT_EQ(rows[2][1], "2");
  EXPECT_EQ(rows[2][7], rare);
  ASSERT_EQ(report->hosts.size(), 2u);
  EXPECT_EQ(report->hosts[0].changed + report->hosts[1].changed, 5u);
}

TEST_F(PassagesTest, CutsLinesAndParagraphs) {
  test::write_file(dir_ / "in.jsonl", test::lines_of({"Menu\nown text\nmenu!\n", "x\r\nMENU\r\ny",
                                                      "a b\nc d\n\nlast", "first\n \nA, b\nC d."}));
  PassageOptions request = options("lines");
  request.unit = PassageUnit::line;
  request.min_tokens = 0;
  auto rows = run(request);
  EXPECT_EQ(rows.at("d0")["text"], "own text\n");
  EXPECT_EQ(rows.at("d1")["text"], "x\r\ny");
  EXPECT_EQ(rows.at("d2")["text"], "\nlast");
  EXPECT_EQ(rows.at("d3")["text"], "first\n \n");
  request.min_tokens = 2;
  rows = run(request);
  EXPECT_EQ(rows.at("d0")["text"], "Menu\nown text\nmenu!\n");
  EXPECT_EQ(rows.at("d2")["text"], "\nlast");
  request = options("paragraphs");
  request.unit = PassageUnit::paragraph;
  request.min_tokens = 0;
  rows = run(request);
  EXPECT_EQ(rows.at("d0")["text"], "Menu\nown text\nmenu!\n");
  EXPECT_EQ(rows.at("d2")["text"], "last");
  EXPECT_EQ(rows.at("d3")["text"], "first\n \n");
}

TEST_F(PassagesTest, RefusesWhatItCannotDo) {
  write({{"a"}});
  PassageOptions request = options("run");
  test::write_file(request.write, "mine");
  auto report = kith::find_passages(request);
  ASSERT_FALSE(report.is_ok());
  EXPECT_EQ(report.error().kind, ErrorKind::usage);
  EXPECT_EQ(test::read_file(request.write), "mine");
  request = options("other");
  request.min_tokens = 513;
  EXPECT_FALSE(kith::find_passages(request).is_ok());
  request.min_tokens = 0;
  request.max_documents = 0;
  EXPECT_FALSE(kith::find_passages(request).is_ok());
  request.max_documents = 1;
  request.sentences = true;
  request.unit = PassageUnit::line;
  EXPECT_FALSE(kith::find_passages(request).is_ok());
}

TEST_F(PassagesTest, IsDoneOnce) {
  write(make_documents(40, 2));
  const PassageOptions request = options("run");
  const auto first = run(request);
  const test::Files files = test::files_of(request.output);
  ASSERT_TRUE(kith::find_passages(request).is_ok());
  EXPECT_EQ(test::files_of(request.output), files);
  for (const std::string& path : {request.write, request.output + "/losses.tsv"}) {
    fs_path::remove(path);
    ASSERT_TRUE(kith::find_passages(request).is_ok());
    EXPECT_EQ(test::files_of(request.output), files);
    EXPECT_TRUE(fs_path::exists(path));
  }
  PassageOptions other = request;
  other.min_tokens = 7;
  EXPECT_FALSE(kith::find_passages(other).is_ok());
}

TEST_F(PassagesTest, BeginsAgainWhereverItWasKilled) {
  write(make_documents(40, 3));
  PassageOptions request = options("run");
  request.threads = 1;
  run(request);
  const test::Files expected = test::files_of(request.output);
  const std::string texts = test::read_file(request.write);
  size_t kills = 0;
  for (uint64_t operations = 1; operations < 1000; ++operations) {
    SCOPED_TRACE(operations);
    fs_path::remove_all(request.output);
    fs_path::remove(request.write);
    test::CrashingFileSystem crashing(operations, test::Loss::unsynced);
    if (find_passages(crashing, request).is_ok()) break;
    ++kills;
    const auto report = find_passages(storage::posix_file_system(), request);
    ASSERT_TRUE(report.is_ok()) << report.error().message;
    ASSERT_EQ(test::files_of(request.output), expected);
    ASSERT_EQ(test::read_file(request.write), texts);
    ASSERT_FALSE(fs_path::exists(request.write + ".tmp"));
  }
  EXPECT_GT(kills, 10u);
}

TEST_F(PassagesTest, LeavesNothingOnAFullDisk) {
  write(make_documents(60, 4));
  PassageOptions request = options("run");
  request.threads = 1;
  run(request);
  const test::Files expected = test::files_of(request.output);
  const std::string texts = test::read_file(request.write);
  for (uint64_t capacity = 0;; capacity += 499) {
    SCOPED_TRACE(capacity);
    fs_path::remove_all(request.output);
    fs_path::remove(request.write);
    test::FullDisk disk(capacity);
    if (find_passages(disk, request).is_ok()) break;
    // Only the report and the manifest follow.
    const bool has_texts = fs_path::exists(request.write);
    ASSERT_EQ(has_texts ? test::read_file(request.write) : texts, texts);
    ASSERT_FALSE(fs_path::exists(request.write + ".tmp"));
    const auto report = find_passages(storage::posix_file_system(), request);
    ASSERT_TRUE(report.is_ok()) << report.error().message;
    ASSERT_EQ(test::files_of(request.output), expected);
    ASSERT_EQ(test::read_file(request.write), texts);
  }
}

}  // namespace
}  // namespace kith::jobs
