// kith dedup --against, against brute force over the shingles of all documents of three days.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "jobs/dedup/job.h"
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
using test::rows_of;

class DedupAgainstTest : public testing::Test {
 protected:
  static constexpr size_t days = 3;
  static constexpr size_t a_day = 140;

  DedupAgainstTest() {
    const std::vector<std::string> texts = test::make_texts(days * a_day, 21);
    text::Shingler shingler({});
    sets_.resize(texts.size());
    for (size_t i = 0; i < texts.size(); ++i) shingler.elements(texts[i], sets_[i]);
    for (size_t day = 0; day < days; ++day) {
      const auto first = texts.begin() + static_cast<ptrdiff_t>(day * a_day);
      test::write_file(input_of(day), test::lines_of({first, first + a_day}, day * a_day));
    }
  }

  std::string input_of(size_t day) const { return dir_ / ("day" + std::to_string(day) + ".jsonl"); }

  // Of a day, against those before.
  DedupOptions options(const std::string& name, size_t day) const {
    DedupOptions options;
    options.inputs = {input_of(day)};
    options.output = dir_ / name;
    options.threads = 2;
    options.recall = 0.9999;  // so that brute force finds the same
    for (size_t before = 0; before < day; ++before) {
      options.against.push_back(dir_ / ("run" + std::to_string(before)));
    }
    return options;
  }

  // Makes the runs of the days before `day`.
  void make_before(size_t day) const {
    for (size_t before = 0; before < day; ++before) {
      const auto report = kith::dedup(options("run" + std::to_string(before), before));
      ASSERT_TRUE(report.is_ok()) << report.error().message;
    }
  }

  sketch::SetOverlap both(size_t a, size_t b) const { return sketch::overlap(sets_[a], sets_[b]); }
  static std::string name(size_t id) { return "d" + std::to_string(id); }

  // The most similar one of all documents of earlier days: the first of equally similar ones; the
  // document itself when none is similar enough.
  size_t match_of(size_t id, double similarity) const {
    size_t best = id;
    for (size_t other = 0; other < id / a_day * a_day; ++other) {
      const double now = both(id, other).resemblance();
      if (now < similarity) continue;
      if (best == id || now > both(id, best).resemblance()) best = other;
    }
    return best;
  }

  test::TempDir dir_{test::Medium::memory};
  std::vector<std::vector<uint64_t>> sets_;
};

TEST_F(DedupAgainstTest, RemovesWhatBruteForceFindsInEarlierRuns) {
  make_before(days);
  for (size_t day = 1; day < days; ++day) {
    const std::string run = dir_ / ("run" + std::to_string(day));
    std::vector<std::vector<std::string>> expected{
        {"url", "match", "match_run", "resemblance", "containment", "containment_of_match"}};
    std::vector<std::vector<std::string>> kept{{"url", "file", "record"}};
    std::vector<size_t> centers;
    size_t equal = 0;
    for (size_t id = day * a_day; id < (day + 1) * a_day; ++id) {
      const size_t match = match_of(id, 0.8);
      if (match != id) {
        const sketch::SetOverlap shared = both(id, match);
        equal += shared.resemblance() == 1 ? 1 : 0;
        const auto text = [](double share) { return std::to_string(share); };
        expected.push_back({name(id), name(match), dir_ / ("run" + std::to_string(match / a_day)),
                            text(shared.resemblance()), text(shared.containment_of_a()),
                            text(shared.containment_of_b())});
        continue;
      }
      // CENTER in input order: the first of a group is its center, and is kept.
      if (std::ranges::any_of(
              centers, [&](size_t center) { return both(center, id).resemblance() >= 0.8; })) {
        continue;
      }
      centers.push_back(id);
      kept.push_back({name(id), input_of(day), std::to_string(id % a_day)});
    }
    ASSERT_GT(expected.size(), 20u);
    ASSERT_GT(equal, 5u);
    EXPECT_EQ(rows_of(run + "/against.tsv"), expected);
    auto keep = rows_of(run + "/keep.tsv");
    for (std::vector<std::string>& row : keep) row.resize(3);  // what follows is of their groups
    EXPECT_EQ(keep, kept);
    const auto report = read_dedup_report(run);
    ASSERT_TRUE(report.is_ok());
    EXPECT_EQ(report->against.removed, expected.size() - 1);
    EXPECT_EQ(report->against.equal, equal);
    EXPECT_EQ(report->against.removed + report->groups.removed + kept.size() - 1, a_day);
    ASSERT_EQ(report->against.runs.size(), day);
    uint64_t removed = 0;
    for (const AgainstRun& one : report->against.runs) {
      EXPECT_EQ(one.documents, a_day);
      EXPECT_GE(one.tables.recall, 0.999);
      removed += one.removed;
    }
    EXPECT_EQ(removed, report->against.removed);
    EXPECT_GT(report->against.check.near, 10u);
    EXPECT_EQ(report->against.check.found, report->against.check.near);
    EXPECT_EQ(report->check.recall, 1);
  }
}

TEST_F(DedupAgainstTest, ExactRemovesEqualDocumentsOnly) {
  make_before(1);
  DedupOptions request = options("exact", 1);
  request.method = DedupMethod::exact;
  const auto report = kith::dedup(request);
  ASSERT_TRUE(report.is_ok()) << report.error().message;
  size_t equal = 0;
  for (size_t id = a_day; id < 2 * a_day; ++id) equal += match_of(id, 1.0) != id ? 1 : 0;
  ASSERT_GT(equal, 5u);
  EXPECT_EQ(report->against.removed, equal);
  EXPECT_EQ(report->against.equal, equal);
  EXPECT_EQ(report->against.check.queries, 0u);
}

TEST_F(DedupAgainstTest, BytesDependOnNeitherThreadsNorMemory) {
  make_before(2);
  ASSERT_TRUE(kith::dedup(options("first", 2)).is_ok());
  const Files expected = files_of(dir_ / "first");
  ASSERT_TRUE(expected.contains("against.tsv"));
  ASSERT_TRUE(expected.contains("against.kith"));
  for (const unsigned threads : {1u, 5u}) {
    DedupOptions request = options("threads" + std::to_string(threads), 2);
    request.threads = threads;
    request.memory = threads == 5 ? 64u << 20 : 0;
    ASSERT_TRUE(kith::dedup(request).is_ok());
    EXPECT_TRUE(files_of(request.output) == expected) << threads;
  }
}

TEST_F(DedupAgainstTest, GoesOnWhereItWasKilled) {
  make_before(2);
  ASSERT_TRUE(kith::dedup(options("whole", 2)).is_ok());
  const Files expected = files_of(dir_ / "whole");
  EXPECT_GT(test::go_on_where_killed(options("run", 2), expected, 5), 8u);
}

TEST_F(DedupAgainstTest, MakesADamagedFileAnew) {
  make_before(2);
  const DedupOptions request = options("run", 2);
  ASSERT_TRUE(kith::dedup(request).is_ok());
  const Files expected = files_of(request.output);
  std::string damaged = expected.at("against.kith");
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
  test::write_file(request.output + "/against.kith", damaged);
  ASSERT_TRUE(kith::dedup(request).is_ok());
  EXPECT_TRUE(files_of(request.output) == expected);
}

TEST_F(DedupAgainstTest, NoticesThatAnEarlierRunIsAnother) {
  make_before(1);
  const DedupOptions request = options("run", 1);
  ASSERT_TRUE(kith::dedup(request).is_ok());
  fs_path::remove_all(dir_ / "run0");
  DedupOptions other = options("run0", 0);
  other.inputs = {input_of(2)};
  ASSERT_TRUE(kith::dedup(other).is_ok());
  const auto report = kith::dedup(request);
  ASSERT_FALSE(report.is_ok());
  EXPECT_EQ(report.error().kind, ErrorKind::usage);
  EXPECT_NE(report.error().message.find("against"), std::string::npos);
  // The same documents, made again, are the same run.
  fs_path::remove_all(dir_ / "run0");
  make_before(1);
  EXPECT_TRUE(kith::dedup(request).is_ok());
}

TEST_F(DedupAgainstTest, RefusesADamagedEarlierRun) {
  make_before(1);
  for (const std::string name : {"shingles.kith", "names.kith", "sketches.kith", "matches.kith"}) {
    const std::string path = dir_ / ("run0/" + name);
    const std::string content = test::read_file(path);
    std::string damaged = content;
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
    test::write_file(path, damaged);
    const auto report = kith::dedup(options("run", 1));
    ASSERT_FALSE(report.is_ok()) << name;
    EXPECT_EQ(report.error().kind, ErrorKind::corrupt);
    EXPECT_NE(report.error().message.find(name), std::string::npos);
    EXPECT_NE(report.error().message.find("'kith dedup' command that made"), std::string::npos);
    test::write_file(path, content);
  }
  EXPECT_TRUE(kith::dedup(options("run", 1)).is_ok());
}

TEST_F(DedupAgainstTest, OptionsMustAgree) {
  make_before(1);
  const auto refused = [&](const DedupOptions& request, std::vector<std::string> says) {
    const auto report = kith::dedup(request);
    ASSERT_FALSE(report.is_ok());
    EXPECT_EQ(report.error().kind, ErrorKind::usage);
    for (const std::string& text : says) {
      EXPECT_NE(report.error().message.find(text), std::string::npos) << report.error().message;
    }
    EXPECT_FALSE(fs_path::exists(request.output));
  };
  const DedupOptions plain = options("run", 1);
  DedupOptions request = plain;
  request.width = 8;
  refused(request, {"width = 5", "width = 8", "run0"});
  request = plain;
  request.shingles = ShingleUnit::characters;
  refused(request, {"shingles = words", "shingles = characters"});
  request = plain;
  request.bag = true;
  refused(request, {"bag = false"});
  request = plain;
  request.normalize = false;
  refused(request, {"numbers = keep", "normalize = false"});
  request = plain;
  request.lanes = 64;
  refused(request, {"lanes = 128", "lanes = 64"});
  request = plain;
  request.seed = 2;
  refused(request, {"seed = 1", "seed = 2"});
  request = plain;
  request.against.push_back(dir_ / "./run0");
  refused(request, {"named twice"});
  request = plain;
  request.against.push_back(dir_ / "nothing");
  const auto report = kith::dedup(request);
  ASSERT_FALSE(report.is_ok());
  EXPECT_NE(report.error().message.find("nothing"), std::string::npos);
  // What does not decide what sketches are may differ.
  request = plain;
  request.similarity = 0.9;
  request.keep = {"longest"};
  EXPECT_TRUE(kith::dedup(request).is_ok());
  // Itself is no earlier run.
  request.against = {request.output};
  EXPECT_FALSE(kith::dedup(request).is_ok());
}

}  // namespace
}  // namespace kith::jobs
