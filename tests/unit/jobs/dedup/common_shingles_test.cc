// kith dedup --max-documents, against document frequencies in a map.
#include "jobs/dedup/common_shingles.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <ranges>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "jobs/dedup/job.h"
#include "jobs/dedup/read.h"
#include "run/stage_files.h"
#include "sketch/set_sketches.h"
#include "support/temp_dir.h"
#include "text/words/shingles.h"
#include "unit/jobs/dedup/kills.h"
#include "unit/jobs/dedup/texts.h"

namespace kith::jobs {
namespace {

namespace fs_path = std::filesystem;
using test::Files;
using test::files_of;

class CommonShinglesTest : public testing::Test {
 protected:
  static constexpr uint32_t most = 6;

  CommonShinglesTest() : texts_(test::make_texts(200, 31)) {
    // A frame around every second document, and one text that many have.
    for (size_t i = 0; i < texts_.size(); i += 2) {
      texts_[i] = "about us contact privacy terms of use login " + texts_[i] +
                  " copyright by all of us some rights reserved";
    }
    for (size_t i = 3; i < 40; i += 4) texts_[i] = "the page that was asked for is not here";
    test::write_file(dir_ / "in.jsonl", test::lines_of(texts_));
    text::Shingler shingler({});
    sets_.resize(texts_.size());
    std::map<uint64_t, uint32_t> frequency;
    for (size_t i = 0; i < texts_.size(); ++i) {
      shingler.elements(texts_[i], sets_[i]);
      for (const uint64_t element : sets_[i]) ++frequency[element];
    }
    for (const auto& [element, count] : frequency) {
      if (count > most) common_.push_back(element);
    }
    for (const std::vector<uint64_t>& set : sets_) {
      std::vector<uint64_t> left;
      std::ranges::set_difference(set, common_, std::back_inserter(left));
      left_.push_back(left.empty() ? set : left);
      rescued_ += left.empty() && !set.empty() ? 1 : 0;
      dropped_ += set.size() - left_.back().size();
    }
  }

  DedupOptions options(const std::string& name) const {
    DedupOptions options;
    options.inputs = {dir_ / "in.jsonl"};
    options.output = dir_ / name;
    options.threads = 2;
    options.recall = 0.9999;
    options.max_documents = most;
    return options;
  }

  test::TempDir dir_{test::Medium::memory};
  std::vector<std::string> texts_;
  std::vector<std::vector<uint64_t>> sets_;
  std::vector<uint64_t> common_;
  std::vector<std::vector<uint64_t>> left_;  // of each document
  uint64_t rescued_ = 0;
  uint64_t dropped_ = 0;
};

TEST_F(CommonShinglesTest, AreDroppedAsTheDefinitionDoes) {
  ASSERT_GT(common_.size(), 10u);
  ASSERT_GT(rescued_, 5u);
  const DedupOptions request = options("run");
  const auto report = kith::dedup(request);
  ASSERT_TRUE(report.is_ok()) << report.error().message;
  EXPECT_EQ(report->documents.common_shingles, common_.size());
  EXPECT_EQ(report->documents.dropped, dropped_);
  EXPECT_EQ(report->documents.rescued, rescued_);
  uint64_t elements = 0;
  storage::FileSystem& fs = storage::posix_file_system();
  const auto table = DocumentTable::open(fs, request.output, {.sketches = true});
  ASSERT_TRUE(table.is_ok()) << table.error().message;
  ASSERT_EQ(table->size(), texts_.size());
  const run::SketchParams params = sketch_params(request);
  const sketch::SetSketcher hasher({params.family, params.lanes, params.seed});
  std::vector<uint16_t> signature(params.lanes);
  for (uint32_t id = 0; id < table->size(); ++id) {
    ASSERT_TRUE(std::ranges::equal(table->sets()[id], left_[id])) << id;
    elements += left_[id].size();
    hasher.sketch(left_[id], signature);
    EXPECT_TRUE(std::ranges::equal(table->signatures()[id], signature)) << id;
    EXPECT_EQ((*table)[id].fingerprint,
              left_[id].empty() ? 0 : hash64(std::as_bytes(std::span<const uint64_t>(left_[id]))));
    EXPECT_EQ((*table)[id].bytes, texts_[id].size());
    EXPECT_EQ((*table)[id].record, id);
    EXPECT_EQ(table->name(id), "d" + std::to_string(id));
  }
  EXPECT_EQ(report->documents.elements, elements);
  EXPECT_EQ(report->check.recall, 1);
  EXPECT_FALSE(fs_path::exists(request.output + "/tmp"));
}

TEST_F(CommonShinglesTest, NothingIsCommonInSoManyDocuments) {
  DedupOptions request = options("all");
  request.max_documents = static_cast<uint32_t>(texts_.size());
  const auto report = kith::dedup(request);
  ASSERT_TRUE(report.is_ok());
  EXPECT_EQ(report->documents.common_shingles, 0u);
  DedupOptions plain = options("plain");
  plain.max_documents = 0;
  ASSERT_TRUE(kith::dedup(plain).is_ok());
  for (const std::string name : {"shingles.kith", "documents.kith", "names.kith", "sketches.kith",
                                 "matches.kith", "keep.tsv"}) {
    EXPECT_TRUE(test::read_file(request.output + "/" + name) ==
                test::read_file(plain.output + "/" + name))
        << name;
  }
}

TEST_F(CommonShinglesTest, BytesDependOnNeitherThreadsNorMemory) {
  ASSERT_TRUE(kith::dedup(options("first")).is_ok());
  const Files expected = files_of(dir_ / "first");
  ASSERT_TRUE(expected.contains("common.kith"));
  for (const unsigned threads : {1u, 5u}) {
    DedupOptions request = options("threads" + std::to_string(threads));
    request.threads = threads;
    request.memory = threads == 5 ? 64u << 20 : 0;
    ASSERT_TRUE(kith::dedup(request).is_ok());
    EXPECT_TRUE(files_of(request.output) == expected) << threads;
  }
}

TEST_F(CommonShinglesTest, AreExactForAnyLimit) {
  DedupOptions plain = options("plain");
  plain.max_documents = 0;
  ASSERT_TRUE(kith::dedup(plain).is_ok());
  storage::FileSystem& fs = storage::posix_file_system();
  const auto table = DocumentTable::open(fs, plain.output, {});
  ASSERT_TRUE(table.is_ok());
  ThreadPool pool(3);
  for (const uint32_t limit : {1u, 2u, most, 1000u}) {
    const std::string path = dir_ / "common.kith";
    ASSERT_TRUE(
        write_common(path, *table, limit, {fs, plain.output, dir_.path(), 0, pool}).is_ok());
    std::map<uint64_t, uint32_t> frequency;
    for (const auto& set : sets_) {
      for (const uint64_t element : set) ++frequency[element];
    }
    std::erase_if(frequency, [&](const auto& entry) { return entry.second <= limit; });
    const auto file = storage::SectionFile::open(fs, path, common_kind);
    ASSERT_TRUE(file.is_ok());
    const auto found = file->array<uint64_t>(common_section);
    ASSERT_TRUE(found.is_ok());
    ASSERT_EQ(found->size(), frequency.size());
    EXPECT_TRUE(std::ranges::equal(*found, frequency, {}, {},
                                   [](const auto& entry) { return entry.first; }));
  }
}

TEST_F(CommonShinglesTest, GoesOnWhereItWasKilled) {
  ASSERT_TRUE(kith::dedup(options("whole")).is_ok());
  const Files expected = files_of(dir_ / "whole");
  EXPECT_GT(test::go_on_where_killed(options("run"), expected, 7), 8u);
}

// A second run drops what the first has dropped, whatever is frequent in its own input.
TEST_F(CommonShinglesTest, LaterRunsDropTheSame) {
  ASSERT_TRUE(kith::dedup(options("first")).is_ok());
  DedupOptions later = options("later");
  later.against = {dir_ / "first"};
  test::write_file(dir_ / "one.jsonl", test::lines_of({texts_.begin(), texts_.begin() + 1}));
  later.inputs = {dir_ / "one.jsonl"};
  const auto report = kith::dedup(later);
  ASSERT_TRUE(report.is_ok()) << report.error().message;
  EXPECT_EQ(report->documents.common_shingles, common_.size());
  EXPECT_EQ(report->documents.elements, left_[0].size());
  EXPECT_EQ(report->against.equal, 1u);
  EXPECT_EQ(test::read_file(later.output + "/common.kith"),
            test::read_file(dir_ / "first/common.kith"));
  // Both may be named from now on; one that has counted for itself may not.
  later.output = dir_ / "third";
  later.against = {dir_ / "first", dir_ / "later"};
  EXPECT_TRUE(kith::dedup(later).is_ok());
  DedupOptions other = options("other");
  other.inputs = {dir_ / "one.jsonl"};
  ASSERT_TRUE(kith::dedup(other).is_ok());
  later.output = dir_ / "fourth";
  later.against = {dir_ / "first", dir_ / "other"};
  const auto refused = kith::dedup(later);
  ASSERT_FALSE(refused.is_ok());
  EXPECT_NE(refused.error().message.find("dropped different shingles"), std::string::npos);
  later.against = {dir_ / "first"};
  later.max_documents = 0;
  const auto without = kith::dedup(later);
  ASSERT_FALSE(without.is_ok());
  EXPECT_NE(without.error().message.find("max_documents = 6"), std::string::npos);
  EXPECT_NE(without.error().message.find("max_documents = 0"), std::string::npos);
}

}  // namespace
}  // namespace kith::jobs
