// The methods of kith dedup that find pairs, against brute force over the shingles of all
// documents.
#include "jobs/dedup/methods.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "jobs/dedup/directory.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/job.h"
#include "jobs/dedup/match.h"
#include "run/stage_files.h"
#include "sketch/estimate.h"
#include "sketch/set_sketches.h"
#include "support/temp_dir.h"
#include "unit/jobs/dedup/kills.h"
#include "unit/jobs/dedup/texts.h"

namespace kith::jobs {
namespace {

using similar::SetPair;
using test::Files;
using test::files_of;
using test::lines_of;
using test::make_texts;

constexpr DedupMethod all_methods[] = {DedupMethod::minhash, DedupMethod::simhash,
                                       DedupMethod::supershingle};

class DedupMethodsTest : public testing::Test {
 protected:
  DedupMethodsTest() {
    input_ = dir_ / "documents.jsonl";
    test::write_file(input_, lines_of(make_texts(400, 12)));
  }

  DedupOptions options(DedupMethod method, const std::string& folder) const {
    DedupOptions options;
    options.inputs = {input_};
    options.output = dir_ / folder;
    options.method = method;
    options.recall = 0.999;
    options.threads = 2;
    return options;
  }

  test::TempDir dir_{test::Medium::memory};
  std::string input_;
};

// What a run has found, and what there is.
class Found {
 public:
  explicit Found(const DedupOptions& options, bool has_sketches = false) {
    auto documents = DocumentTable::open(fs_, options.output, {.sketches = has_sketches});
    EXPECT_TRUE(documents.is_ok());
    documents_.emplace(std::move(*documents));
    auto matches =
        Matches::open(fs_, options.output + "/" + std::string(matches_file), documents_->size());
    EXPECT_TRUE(matches.is_ok());
    matches_.emplace(std::move(*matches));
  }

  std::vector<SetPair> pairs() const {
    return {matches_->pairs().begin(), matches_->pairs().end()};
  }
  const DocumentTable& documents() const { return *documents_; }

  // Representatives of documents that are not empty.
  std::vector<uint32_t> ids() const {
    std::vector<uint32_t> ids;
    for (uint32_t id = 0; id < documents_->size(); ++id) {
      if (matches_->representative()[id] == id && documents_->sets().size_of(id) > 0) {
        ids.push_back(id);
      }
    }
    return ids;
  }

  // All pairs of these that are similar.
  std::vector<SetPair> similar(double similarity) const {
    std::vector<SetPair> pairs;
    const std::vector<uint32_t> all = ids();
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t j = i + 1; j < all.size(); ++j) {
        const sketch::SetOverlap both =
            sketch::overlap(documents_->sets()[all[i]], documents_->sets()[all[j]]);
        if (both.resemblance() < similarity) continue;
        pairs.push_back({all[i], all[j], static_cast<uint32_t>(both.common)});
      }
    }
    return pairs;
  }

 private:
  storage::FileSystem& fs_ = storage::posix_file_system();
  std::optional<DocumentTable> documents_;
  std::optional<Matches> matches_;
};

uint64_t in_both(const std::vector<SetPair>& a, const std::vector<SetPair>& b) {
  std::vector<SetPair> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both.size();
}

TEST_F(DedupMethodsTest, FindSimilarPairsOnlyAndSayHowManyTheyMiss) {
  for (const DedupMethod method : all_methods) {
    DedupOptions request = options(method, std::string(name(method)));
    request.distance = 7;
    request.check_queries = 1000;  // all
    const auto report = kith::dedup(request);
    ASSERT_TRUE(report.is_ok()) << report.error().message;
    const Found found(request);
    const std::vector<SetPair> similar = found.similar(request.similarity);
    ASSERT_GT(similar.size(), 50u);
    const std::vector<SetPair> pairs = found.pairs();
    EXPECT_EQ(in_both(pairs, similar), pairs.size()) << name(method);
    EXPECT_EQ(report->pairs.similar, pairs.size());
    EXPECT_GE(report->pairs.candidates, pairs.size());
    EXPECT_EQ(report->pairs.below_similarity, 0u);
    // Every pair is seen from both of its documents.
    EXPECT_EQ(report->check.true_pairs, 2 * similar.size());
    EXPECT_EQ(report->check.found, 2 * pairs.size());
    if (method == DedupMethod::simhash) {
      EXPECT_LT(report->check.recall, 1.0);  // what 64 bits cannot do, and says so
      EXPECT_GT(report->check.recall, 0.1);
      EXPECT_EQ(report->fingerprints.pairs_by_distance.size(), 8u);
    } else {
      EXPECT_GT(report->check.recall, 0.99);
    }
    EXPECT_EQ(report->super_shingles.empty(), method != DedupMethod::supershingle);
    EXPECT_EQ(report->tables.empty(), method != DedupMethod::minhash);
  }
}

TEST_F(DedupMethodsTest, WithoutVerificationPairsAreWhatWasFound) {
  for (const DedupMethod method : all_methods) {
    DedupOptions request = options(method, std::string(name(method)));
    request.similarity = 0.9;
    request.distance = 7;
    request.verify = false;
    const auto report = kith::dedup(request);
    ASSERT_TRUE(report.is_ok()) << report.error().message;
    const Found found(request);
    const std::vector<SetPair> pairs = found.pairs();
    EXPECT_EQ(report->pairs.candidates, pairs.size());
    uint64_t below = 0;
    for (const SetPair& pair : pairs) {
      const sketch::SetOverlap both =
          sketch::overlap(found.documents().sets()[pair.a], found.documents().sets()[pair.b]);
      EXPECT_EQ(pair.common, both.common);
      below += both.resemblance() < 0.9 ? 1 : 0;
    }
    EXPECT_GT(below, 0u) << name(method);
    EXPECT_EQ(report->pairs.below_similarity, below);
    EXPECT_EQ(report->pairs.similar, pairs.size() - below);
    EXPECT_GT(report->groups.weak, 0u);
  }
}

TEST_F(DedupMethodsTest, BytesDependOnNeitherThreadsNorMemory) {
  for (const DedupMethod method : all_methods) {
    const std::string folder(name(method));
    ASSERT_TRUE(kith::dedup(options(method, folder)).is_ok());
    const Files expected = files_of(dir_ / folder);
    EXPECT_EQ(expected.contains("fingerprints.kith"), method == DedupMethod::simhash);
    EXPECT_EQ(expected.contains("sketches.kith"), method != DedupMethod::simhash);
    for (const unsigned threads : {1u, 5u}) {
      DedupOptions request = options(method, folder + std::to_string(threads));
      request.threads = threads;
      request.memory = threads == 1 ? 64u << 20 : 0;
      ASSERT_TRUE(kith::dedup(request).is_ok());
      EXPECT_TRUE(files_of(request.output) == expected) << folder << threads;
    }
  }
}

TEST_F(DedupMethodsTest, GoOnWhereTheyWereKilled) {
  for (const DedupMethod method : {DedupMethod::simhash, DedupMethod::supershingle}) {
    const std::string folder(name(method));
    ASSERT_TRUE(kith::dedup(options(method, folder)).is_ok());
    const Files expected = files_of(dir_ / folder);
    EXPECT_GT(test::go_on_where_killed(options(method, "run"), expected, 5), 5u);
  }
}

TEST_F(DedupMethodsTest, MakeDamagedFingerprintsAnew) {
  const DedupOptions request = options(DedupMethod::simhash, "run");
  ASSERT_TRUE(kith::dedup(request).is_ok());
  const Files expected = files_of(request.output);
  std::string damaged = expected.at("fingerprints.kith");
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
  test::write_file(request.output + "/fingerprints.kith", damaged);
  std::string note;
  const auto report =
      kith::dedup(request, [&](const Progress& progress) { note += progress.note; });
  ASSERT_TRUE(report.is_ok()) << report.error().message;
  EXPECT_NE(note.find("fingerprints.kith"), std::string::npos);
  EXPECT_TRUE(files_of(request.output) == expected);
}

TEST_F(DedupMethodsTest, OfSimilarityOneFindEqualDocumentsOnly) {
  for (const DedupMethod method : all_methods) {
    DedupOptions request = options(method, std::string(name(method)));
    request.similarity = 1;
    const auto report = kith::dedup(request);
    ASSERT_TRUE(report.is_ok()) << report.error().message;
    EXPECT_EQ(report->groups.removed, report->pairs.duplicates);
    EXPECT_EQ(report->pairs.candidates, 0u);
  }
}

TEST(DedupSuperShingles, ReachTheRecallByTheFewest) {
  DedupOptions options;
  options.similarity = 0.9;
  options.recall = 0.95;
  const auto plans = plan_super_shingles(options);
  ASSERT_TRUE(plans.is_ok());
  ASSERT_GT(plans->size(), 3u);
  for (const DedupSuperShingles& plan : *plans) {
    EXPECT_LE(plan.minima * plan.groups, options.lanes);
    EXPECT_EQ(plan.least, 2u);
    const auto recall = [&](uint32_t groups) {
      return sketch::shared_super_shingles_probability(0.9, plan.minima, groups, 2);
    };
    EXPECT_EQ(plan.recall, recall(plan.groups));
    EXPECT_GE(plan.recall, 0.95);
    EXPECT_TRUE(plan.groups == 2 || recall(plan.groups - 1) < 0.95);
    EXPECT_LE(chosen_of(*plans).false_positives, plan.false_positives);
  }
}

TEST(DedupSuperShingles, RefuseARecallThatIsOutOfReach) {
  DedupOptions options;
  options.similarity = 0.05;
  const auto plans = plan_super_shingles(options);
  ASSERT_FALSE(plans.is_ok());
  EXPECT_EQ(plans.error().kind, ErrorKind::usage);
}

TEST(DedupOptions, RefuseWhatHasNothingToVerify) {
  DedupOptions options;
  options.inputs = {"in"};
  options.output = "out";
  options.verify = false;
  EXPECT_TRUE(validate(options));
  options.method = DedupMethod::exact;
  EXPECT_NE(validate(options).error().message.find("verify = false"), std::string::npos);
  options.method = DedupMethod::supershingle;
  options.similarity = 1;
  EXPECT_NE(validate(options).error().message.find("verify = false"), std::string::npos);
  options.method = DedupMethod::simhash;
  EXPECT_TRUE(validate(options));
  options.distance = 8;
  EXPECT_NE(validate(options).error().message.find("distance = 8"), std::string::npos);
}

}  // namespace
}  // namespace kith::jobs
