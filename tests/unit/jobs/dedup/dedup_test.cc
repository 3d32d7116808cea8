// kith dedup from documents to lists, against brute force over the shingles of all documents.
#include <algorithm>
#include <filesystem>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "jobs/dedup/document_table.h"
#include "jobs/dedup/groups.h"
#include "jobs/dedup/job.h"
#include "jobs/dedup/match.h"
#include "run/stage_files.h"
#include "sketch/estimate.h"
#include "support/temp_dir.h"
#include "text/words/shingles.h"
#include "unit/jobs/dedup/kills.h"
#include "unit/jobs/dedup/texts.h"

namespace kith::jobs {
namespace {

namespace fs_path = std::filesystem;
using test::Files;
using test::files_of;
using test::lines_of;
using test::make_texts;
using test::rows_of;

class DedupTest : public testing::Test {
 protected:
  static constexpr size_t count = 300;

  DedupTest() : texts_(make_texts(count, 11)) {
    input_ = dir_ / "documents.jsonl";
    test::write_file(input_, lines_of(texts_));
    text::Shingler shingler({});
    sets_.resize(count);
    for (size_t i = 0; i < count; ++i) shingler.elements(texts_[i], sets_[i]);
  }

  DedupOptions options(const std::string& name) const {
    DedupOptions options;
    options.inputs = {input_};
    options.output = dir_ / name;
    options.threads = 2;
    options.recall = 0.9999;  // so that brute force finds the same
    return options;
  }

  double resemblance(size_t a, size_t b) const {
    return sketch::overlap(sets_[a], sets_[b]).resemblance();
  }

  static size_t number(const std::string& name) { return std::stoul(name.substr(1)); }

  // Every similar pair of documents, those with equal shingles too.
  std::vector<std::pair<size_t, size_t>> similar(double similarity) const {
    std::vector<std::pair<size_t, size_t>> pairs;
    for (size_t a = 0; a < count; ++a) {
      for (size_t b = a + 1; b < count; ++b) {
        if (resemblance(a, b) >= similarity) pairs.emplace_back(a, b);
      }
    }
    return pairs;
  }

  // CENTER by its definition, by an order of all documents.
  std::vector<size_t> centers(std::vector<size_t> order, double similarity) const {
    constexpr size_t none = count;
    std::vector<size_t> center(count, none);
    for (const size_t id : order) {
      if (center[id] != none) continue;
      center[id] = id;
      for (size_t other = 0; other < count; ++other) {
        if (center[other] == none && resemblance(id, other) >= similarity) center[other] = id;
      }
    }
    return center;
  }

  std::vector<size_t> by_degree(double similarity) const {
    std::vector<size_t> degree(count);
    for (const auto& [a, b] : similar(similarity)) {
      ++degree[a];
      ++degree[b];
    }
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, [&](size_t a, size_t b) { return degree[a] > degree[b]; });
    return order;
  }

  test::TempDir dir_{test::Medium::memory};
  std::vector<std::string> texts_;
  std::vector<std::vector<uint64_t>> sets_;
  std::string input_;
};

// The one of each group that is kept, by definition.
std::vector<size_t> kept_of(const std::vector<size_t>& center,
                            const std::vector<std::string>& texts, const std::string& keep) {
  std::vector<size_t> kept(center.size());
  for (size_t id = 0; id < center.size(); ++id) {
    std::vector<size_t> members;
    for (size_t other = 0; other < center.size(); ++other) {
      if (center[other] == center[id]) members.push_back(other);
    }
    const auto size = [&](size_t member) { return texts[member].size(); };
    if (keep == "first") kept[id] = members.front();
    if (keep == "longest") kept[id] = *std::ranges::max_element(members, {}, size);
    if (keep == "shortest") kept[id] = *std::ranges::min_element(members, {}, size);
  }
  return kept;
}

TEST_F(DedupTest, PairsAreThoseOfBruteForce) {
  const auto report = kith::dedup(options("run"));
  ASSERT_TRUE(report.is_ok()) << report.error().message;
  EXPECT_EQ(report->documents.documents, count);
  EXPECT_EQ(report->documents.empty, count / 40);
  EXPECT_GT(report->pairs.duplicates, 10u);
  EXPECT_EQ(report->check.recall, 1.0);
  // Documents with equal shingles stand behind the first of them.
  std::vector<size_t> first(count);
  for (size_t id = 0; id < count; ++id) {
    first[id] = id;
    if (sets_[id].empty()) continue;
    first[id] = static_cast<size_t>(std::ranges::find(sets_, sets_[id]) - sets_.begin());
  }
  std::set<std::pair<size_t, size_t>> expected;
  for (const auto& [a, b] : similar(0.8)) {
    if (first[b] == a || (first[a] == a && first[b] == b)) expected.emplace(a, b);
  }
  std::set<std::pair<size_t, size_t>> found;
  const auto rows = rows_of(dir_ / "run/pairs.tsv");
  ASSERT_EQ(rows[0], (std::vector<std::string>{"url_a", "url_b", "resemblance", "containment_ab",
                                               "containment_ba"}));
  for (size_t i = 1; i < rows.size(); ++i) {
    const size_t a = number(rows[i][0]);
    const size_t b = number(rows[i][1]);
    EXPECT_TRUE(found.emplace(a, b).second);
    const sketch::SetOverlap both = sketch::overlap(sets_[a], sets_[b]);
    EXPECT_NEAR(std::stod(rows[i][2]), both.resemblance(), 1e-6);
    EXPECT_NEAR(std::stod(rows[i][3]), both.containment_of_a(), 1e-6);
    EXPECT_NEAR(std::stod(rows[i][4]), both.containment_of_b(), 1e-6);
  }
  EXPECT_EQ(found, expected);
}

TEST_F(DedupTest, GroupsAreCenterByItsDefinition) {
  for (const CenterOrder order : {CenterOrder::degree, CenterOrder::keep}) {
    for (const std::string keep : {"first", "longest", "shortest"}) {
      DedupOptions request = options(std::string(name(order)) + std::string(keep));
      request.order = order;
      request.keep = {keep};
      const auto report = kith::dedup(request);
      ASSERT_TRUE(report.is_ok()) << report.error().message;
      std::vector<size_t> ids = by_degree(0.8);
      if (order == CenterOrder::keep) {
        std::ranges::sort(ids);
        const auto size = [&](size_t id) { return texts_[id].size(); };
        if (keep == "longest") std::ranges::stable_sort(ids, std::greater<>(), size);
        if (keep == "shortest") std::ranges::stable_sort(ids, std::less<>(), size);
      }
      const std::vector<size_t> center = centers(ids, 0.8);
      const std::vector<size_t> kept = kept_of(center, texts_, keep);
      const auto groups =
          Groups::open(storage::posix_file_system(), request.output + "/groups.kith", count);
      ASSERT_TRUE(groups.is_ok());
      uint64_t removed = 0;
      uint64_t weak = 0;
      for (size_t id = 0; id < count; ++id) {
        EXPECT_EQ(groups->center()[id], center[id]) << id;
        EXPECT_EQ(groups->kept()[id], kept[id]) << id;
        removed += kept[id] == id ? 0 : 1;
        weak += kept[id] != id && resemblance(id, kept[id]) < 0.8 ? 1 : 0;
      }
      EXPECT_EQ(report->groups.removed, removed);
      EXPECT_EQ(report->groups.weak, weak);
      EXPECT_TRUE(weak == 0 || order == CenterOrder::degree);
      EXPECT_EQ(rows_of(request.output + "/keep.tsv").size(), count - removed + 1);
    }
  }
}

TEST_F(DedupTest, ComponentsJoinWhateverAChainJoins) {
  DedupOptions request = options("run");
  request.groups = Grouping::components;
  const auto report = kith::dedup(request);
  ASSERT_TRUE(report.is_ok());
  std::vector<uint32_t> lowest(count);
  std::iota(lowest.begin(), lowest.end(), 0u);
  const auto pairs = similar(0.8);
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [a, b] : pairs) {
      if (lowest[a] == lowest[b]) continue;
      lowest[a] = lowest[b] = std::min(lowest[a], lowest[b]);
      changed = true;
    }
  }
  const auto groups =
      Groups::open(storage::posix_file_system(), request.output + "/groups.kith", count);
  ASSERT_TRUE(groups.is_ok());
  EXPECT_TRUE(std::ranges::equal(groups->kept(), lowest));
  EXPECT_EQ(report->groups.removed, report->groups.components.removed);
  EXPECT_GE(report->groups.unverified.removed, report->groups.components.removed);
}

TEST_F(DedupTest, ExactGroupsDocumentsOfEqualTextOnly) {
  DedupOptions request = options("run");
  request.method = DedupMethod::exact;
  const auto report = kith::dedup(request);
  ASSERT_TRUE(report.is_ok());
  std::set<std::vector<uint64_t>> different;
  text::Shingler shingler({});
  for (const std::string& text : texts_) {
    std::vector<uint64_t> shingles;
    shingler.read(text, shingles);
    different.insert(shingles);
  }
  different.erase(std::vector<uint64_t>());
  EXPECT_EQ(report->groups.removed, count - report->documents.empty - different.size());
  EXPECT_EQ(report->groups.removed, report->pairs.duplicates);
  EXPECT_FALSE(fs_path::exists(request.output + "/sketches.kith"));
}

TEST_F(DedupTest, BytesDependOnNeitherThreadsNorMemory) {
  ASSERT_TRUE(kith::dedup(options("first")).is_ok());
  const Files expected = files_of(dir_ / "first");
  ASSERT_TRUE(expected.contains("groups.tsv"));
  for (const unsigned threads : {1u, 2u, 5u}) {
    DedupOptions request = options("run" + std::to_string(threads));
    request.threads = threads;
    request.memory = threads == 2 ? 64u << 20 : 0;
    ASSERT_TRUE(kith::dedup(request).is_ok());
    EXPECT_TRUE(files_of(request.output) == expected) << threads;
  }
}

TEST_F(DedupTest, GoesOnWhereItWasKilled) {
  ASSERT_TRUE(kith::dedup(options("whole")).is_ok());
  const Files expected = files_of(dir_ / "whole");
  EXPECT_GT(test::go_on_where_killed(options("run"), expected, 3), 10u);
}

TEST_F(DedupTest, MakesDamagedFilesAnew) {
  const DedupOptions request = options("run");
  ASSERT_TRUE(kith::dedup(request).is_ok());
  const Files expected = files_of(request.output);
  for (const auto& [name, content] : expected) {
    if (!name.ends_with(".kith")) continue;
    std::string damaged = content;
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
    test::write_file(request.output + "/" + name, damaged);
    std::string note;
    const auto report =
        kith::dedup(request, [&](const Progress& progress) { note += progress.note; });
    ASSERT_TRUE(report.is_ok()) << name << ": " << report.error().message;
    EXPECT_NE(note.find(name), std::string::npos);
    EXPECT_TRUE(files_of(request.output) == expected) << name;
  }
}

TEST_F(DedupTest, RefusesAFolderOfOtherOptions) {
  DedupOptions request = options("run");
  ASSERT_TRUE(kith::dedup(request).is_ok());
  request.similarity = 0.7;
  const auto report = kith::dedup(request);
  ASSERT_FALSE(report.is_ok());
  EXPECT_EQ(report.error().kind, ErrorKind::usage);
  EXPECT_NE(report.error().message.find("similarity"), std::string::npos);
}

TEST(Dedup, OfNoDocumentsLeavesEmptyLists) {
  const test::TempDir dir(test::Medium::memory);
  test::write_file(dir / "none.jsonl", "\n");
  DedupOptions options;
  options.inputs = {dir / "none.jsonl"};
  options.output = dir / "run";
  const auto report = kith::dedup(options);
  ASSERT_TRUE(report.is_ok()) << report.error().message;
  EXPECT_EQ(report->documents.documents, 0u);
  EXPECT_EQ(rows_of(dir / "run/keep.tsv").size(), 1u);
}

}  // namespace
}  // namespace kith::jobs
