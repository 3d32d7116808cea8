// Families of near-duplicates that are larger than a bucket whose pairs are all compared.
#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/parallel/thread_pool.h"
#include "jobs/dedup/directory.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/families/meeting_rule.h"
#include "jobs/dedup/groups.h"
#include "jobs/dedup/job.h"
#include "jobs/dedup/match.h"
#include "jobs/dedup/methods.h"
#include "run/stage_files.h"
#include "support/temp_dir.h"
#include "unit/jobs/dedup/texts.h"

namespace kith::jobs {
namespace {

using test::files_of;
using test::lines_of;
using test::rows_of;

// The same words, and two of each text alone: every pair has a resemblance of 0.93.
std::vector<std::string> counters(size_t n, uint64_t seed) {
  Rng rng(seed);
  std::string frame;
  for (int i = 0; i < 60; ++i) frame += test::word(rng) + " ";
  std::vector<std::string> texts;
  for (size_t i = 0; i < n; ++i) {
    texts.push_back(frame + test::word(rng) + " " + test::word(rng) + test::word(rng));
  }
  return texts;
}

// 200 words, of which so many are replaced anywhere in each.
std::vector<std::string> variants(size_t n, uint64_t replaced, uint64_t seed) {
  Rng rng(seed);
  std::vector<std::string> frame(200);
  for (std::string& one : frame) one = test::word(rng);
  std::vector<std::string> texts;
  for (size_t i = 0; i < n; ++i) {
    std::vector<std::string> words = frame;
    for (uint64_t j = 0; j < replaced; ++j) words[rng.below(words.size())] = test::word(rng);
    std::string text;
    for (const std::string& one : words) text += one + " ";
    texts.push_back(text);
  }
  return texts;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

class DedupFamiliesTest : public testing::Test {
 protected:
  DedupOptions options(const std::vector<std::string>& texts, DedupMethod method,
                       const std::string& folder) {
    DedupOptions options;
    options.inputs = {dir_ / "documents.jsonl"};
    test::write_file(options.inputs[0], lines_of(texts));
    options.output = dir_ / folder;
    options.method = method;
    options.threads = 2;
    return options;
  }

  // Numbers of documents, by the pairs list.
  static std::set<std::pair<uint32_t, uint32_t>> listed(const DedupOptions& request) {
    std::set<std::pair<uint32_t, uint32_t>> pairs;
    const auto rows = rows_of(request.output + "/pairs.tsv");
    for (size_t i = 1; i < rows.size(); ++i) {
      const auto number = [&](size_t field) {
        return static_cast<uint32_t>(std::stoul(rows[i][field].substr(1)));
      };
      EXPECT_TRUE(pairs.emplace(number(0), number(1)).second);
    }
    return pairs;
  }

  test::TempDir dir_{test::Medium::memory};
};

// What the groups of a run should be, from its matches: CENTER pair by pair in the order of ids.
class SlowGroups {
 public:
  SlowGroups(const DedupOptions& options, const std::string& scratch)
      : documents_(
            *DocumentTable::open(fs_, options.output, {.sketches = needs_signatures(options)})),
        matches_(*Matches::open(fs_, path(options, matches_file), documents_.size())),
        groups_(*Groups::open(fs_, path(options, groups_file), documents_.size())),
        rule_(pair_rule(options)),
        meeting_(*meeting_rule(documents_, true, options,
                               {fs_, options.output, scratch, uint64_t{1} << 30, pool_})) {
    for (const similar::SetPair& pair : matches_.pairs()) listed_.emplace(pair.a, pair.b);
    scan();
    absorb();
  }

  std::span<const uint32_t> found() const { return groups_.center(); }
  const std::vector<uint32_t>& expected() const { return center_; }
  uint64_t absorbed() const { return absorbed_; }

 private:
  static std::string path(const DedupOptions& options, std::string_view file) {
    return options.output + "/" + std::string(file);
  }

  bool share_part(uint32_t a, uint32_t b) const {
    const WholeParts& parts = matches_.parts();
    for (size_t part = 0; part < parts.size(); ++part) {
      if (parts.contains(part, a) && parts.contains(part, b)) return true;
    }
    return false;
  }
  bool compare(uint32_t a, uint32_t b,
               bool (MeetingRule::*close)(const uint8_t*, const uint8_t*) const) const {
    std::vector<uint8_t> row_a(meeting_->row_bytes());
    std::vector<uint8_t> row_b(meeting_->row_bytes());
    meeting_->read(a, row_a);
    meeting_->read(b, row_b);
    return ((*meeting_).*close)(row_a.data(), row_b.data()) && is_similar(a, b);
  }
  bool is_similar(uint32_t a, uint32_t b) const {
    return rule_.is_similar(sketch::overlap(documents_.sets()[a], documents_.sets()[b]));
  }
  bool is_pair(uint32_t a, uint32_t b) const {
    return listed_.contains({a, b}) ||
           (share_part(a, b) && compare(a, b, &MeetingRule::is_candidate));
  }

  void scan() {
    for (uint32_t id = 0; id < documents_.size(); ++id) {
      const uint32_t own = matches_.representative()[id];
      center_.push_back(own == id ? id : center_[own]);
      if (own != id || documents_.sets().size_of(id) == 0) continue;
      const auto center =
          std::ranges::find_if(centers_, [&](uint32_t one) { return is_pair(one, id); });
      if (center == centers_.end()) {
        centers_.push_back(id);
      } else {
        center_[id] = *center;
      }
    }
  }

  std::vector<uint32_t> members(uint32_t center) const {
    std::vector<uint32_t> ids;
    for (uint32_t id = 0; id < center_.size(); ++id) {
      if (center_[id] == center && matches_.representative()[id] == id) ids.push_back(id);
    }
    return ids;
  }

  void absorb() {
    constexpr size_t min_family = 64;
    std::vector<uint32_t> families;
    for (const uint32_t center : centers_) {
      if (members(center).size() >= min_family) families.push_back(center);
    }
    std::vector<std::pair<uint32_t, uint32_t>> joining;
    for (const uint32_t center : centers_) {
      for (const uint32_t family : families) {
        if (family >= center || !compare(family, center, &MeetingRule::is_near)) continue;
        joining.emplace_back(center, family);
        break;
      }
    }
    const auto joins = [&](uint32_t center) {
      return std::ranges::any_of(joining, [&](const auto& one) { return one.first == center; });
    };
    const std::vector<uint32_t> before = center_;
    for (const auto& join : joining) {
      const uint32_t center = join.first;
      const uint32_t family = join.second;
      const std::vector<uint32_t> ids = members(center);
      const bool all =
          std::ranges::all_of(ids, [&](uint32_t id) { return is_similar(id, family); });
      if (joins(family) || !all) continue;
      absorbed_ += ids.size();
      for (uint32_t id = 0; id < center_.size(); ++id) {
        if (before[id] == center) center_[id] = family;
      }
    }
  }

  storage::FileSystem& fs_ = storage::posix_file_system();
  ThreadPool pool_{2};
  DocumentTable documents_;
  Matches matches_;
  Groups groups_;
  similar::PairRule rule_;
  std::unique_ptr<MeetingRule> meeting_;
  std::set<std::pair<uint32_t, uint32_t>> listed_;
  std::vector<uint32_t> centers_;
  std::vector<uint32_t> center_;  // by document
  uint64_t absorbed_ = 0;
};

TEST_F(DedupFamiliesTest, KeepOneDocumentOfEach) {
  std::vector<std::string> texts = test::make_texts(200, 3);
  append(texts, counters(1500, 1));
  append(texts, variants(1100, 2, 2));
  const auto kept_alone = [&] {
    const auto report =
        kith::dedup(options(test::make_texts(200, 3), DedupMethod::minhash, "alone"));
    return 200 - report->groups.removed;
  }();
  for (const DedupMethod method : {DedupMethod::minhash, DedupMethod::supershingle}) {
    const auto report = kith::dedup(options(texts, method, std::string(name(method))));
    ASSERT_TRUE(report.is_ok()) << report.error().message;
    EXPECT_GT(report->large.parts, 0u);
    EXPECT_EQ(texts.size() - report->groups.removed, kept_alone + 2) << name(method);
    EXPECT_EQ(report->groups.largest, 1500u);
    EXPECT_TRUE(report->check.keeps_promise());
    EXPECT_GE(report->check.recall, 0.99);
    EXPECT_EQ(report->check.kept_similar, 0u);
    EXPECT_EQ(report->groups.weak, 0u);
    // Linear: a comparison or two for each document of a family.
    EXPECT_LT(report->large.comparisons, 4u * texts.size());
  }
}

TEST_F(DedupFamiliesTest, AreGroupedAsPairByPair) {
  // Of several templates, some so much changed that a family has many centers.
  std::vector<std::string> texts = variants(900, 7, 4);
  append(texts, counters(800, 5));
  append(texts, variants(700, 14, 6));
  append(texts, counters(300, 5));  // equal to the first of the others
  uint64_t absorbed = 0;
  for (const DedupMethod method :
       {DedupMethod::minhash, DedupMethod::supershingle, DedupMethod::simhash}) {
    DedupOptions request = options(texts, method, std::string(name(method)));
    request.recall = 0.8;
    request.distance = 6;
    const auto report = kith::dedup(request);
    ASSERT_TRUE(report.is_ok()) << report.error().message;
    EXPECT_GT(report->large.parts, 0u) << name(method);
    const SlowGroups slow(request, dir_ / "scratch");
    EXPECT_TRUE(std::ranges::equal(slow.found(), slow.expected())) << name(method);
    EXPECT_EQ(report->large.absorbed, slow.absorbed()) << name(method);
    absorbed += slow.absorbed();
  }
  EXPECT_GT(absorbed, 0u);
}

TEST_F(DedupFamiliesTest, AreTheSameForAnyThreadsAndMemory) {
  std::vector<std::string> texts = variants(900, 7, 4);
  append(texts, counters(800, 5));
  for (const DedupMethod method :
       {DedupMethod::minhash, DedupMethod::supershingle, DedupMethod::simhash}) {
    DedupOptions request = options(texts, method, std::string(name(method)) + "1");
    request.threads = 1;
    ASSERT_TRUE(kith::dedup(request).is_ok());
    test::Files expected = files_of(request.output);
    request.output = dir_ / (std::string(name(method)) + "3");
    request.threads = 3;
    request.memory = uint64_t{64} << 20;
    ASSERT_TRUE(kith::dedup(request).is_ok());
    test::Files found = files_of(request.output);
    for (test::Files* const files : {&expected, &found}) files->erase("report.json");
    EXPECT_TRUE(found == expected) << name(method);
  }
}

TEST_F(DedupFamiliesTest, ListAllPairsWhereTheseAreAskedFor) {
  const std::vector<std::string> texts = variants(800, 2, 7);
  DedupOptions request = options(texts, DedupMethod::minhash, "run");
  ASSERT_TRUE(kith::dedup(request).is_ok());
  const auto with_centers = listed(request);
  EXPECT_LT(with_centers.size(), 30u * texts.size());
  request.list_pairs = PairList::all;
  const auto report = kith::dedup(request);
  ASSERT_TRUE(report.is_ok());
  EXPECT_TRUE(report->stages.back().reused);  // only the lists are made anew
  const auto all = listed(request);
  EXPECT_TRUE(std::ranges::includes(all, with_centers));
  const auto documents = DocumentTable::open(storage::posix_file_system(), request.output, {});
  ASSERT_TRUE(documents.is_ok());
  size_t similar = 0;
  size_t found = 0;
  for (uint32_t a = 0; a < texts.size(); ++a) {
    for (uint32_t b = a + 1; b < texts.size(); ++b) {
      const sketch::SetOverlap both = sketch::overlap(documents->sets()[a], documents->sets()[b]);
      if (both.resemblance() < request.similarity) {
        EXPECT_FALSE(all.contains({a, b}));
        continue;
      }
      ++similar;
      found += all.contains({a, b}) ? 1 : 0;
    }
  }
  EXPECT_EQ(found, all.size());
  EXPECT_GT(similar, size_t{200'000});
  EXPECT_GE(static_cast<double>(found), 0.99 * static_cast<double>(similar));
}

TEST_F(DedupFamiliesTest, EndWithinTheComparisonsThatAreAllowed) {
  // So different that most become centers.
  const std::vector<std::string> texts = variants(1500, 3, 8);
  DedupOptions request = options(texts, DedupMethod::minhash, "all");
  const auto all = kith::dedup(request);
  ASSERT_TRUE(all.is_ok());
  EXPECT_EQ(all->large.left_out, 0u);
  ASSERT_GT(all->large.centers, 100u);
  request.output = dir_ / "few";
  request.max_comparisons = all->large.members * 3;
  const auto few = kith::dedup(request);
  ASSERT_TRUE(few.is_ok());
  EXPECT_LE(few->large.comparisons, request.max_comparisons);
  EXPECT_LE(few->large.max_comparisons, request.max_comparisons);
  EXPECT_GT(few->large.left_out, 0u);
  EXPECT_LT(few->groups.removed, all->groups.removed);
  EXPECT_LT(few->check.recall, all->check.recall);
}

}  // namespace
}  // namespace kith::jobs
