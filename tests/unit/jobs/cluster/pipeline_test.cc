// The public API on the sample crawl: what the command line tests do not see, and what
// ThreadSanitizer is to see.
#include "kith/pipeline.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "kith/run.h"

#include "support/data.h"
#include "support/temp_dir.h"

namespace kith::jobs {
namespace {

ClusterOptions sample_options(const test::TempDir& dir, EngineChoice engine) {
  ClusterOptions options;
  options.inputs = {test::test_data("crawl/sample.warc.gz")};
  options.output = dir / "run";
  options.engine = engine;
  options.similarity = 0.2;
  options.threads = 4;
  if (engine == EngineChoice::paper) paper_preset(options);
  return options;
}

PairOptions pair_options(const test::TempDir& dir, unsigned threads) {
  PairOptions options;
  options.threads = threads;
  options.scratch = dir.path();
  return options;
}

class Pipeline : public testing::TestWithParam<EngineChoice> {};

TEST_P(Pipeline, LeavesARunThatAnswersQuestions) {
  const test::TempDir dir;
  std::set<std::string> stages;
  double last_share = 0;
  const auto report = cluster_crawl(sample_options(dir, GetParam()), [&](const Progress& progress) {
    stages.emplace(progress.stage);
    if (progress.total > 0) last_share = progress.done / progress.total;
    EXPECT_LE(last_share, 1.0);
  });
  ASSERT_TRUE(report.is_ok()) << report.error().message;
  EXPECT_EQ(report->crawl.pages, 340u);
  EXPECT_EQ(report->check.pair_precision, 1.0);
  EXPECT_GT(report->check.pair_recall, GetParam() == EngineChoice::paper ? 0.5 : 0.85);
  EXPECT_TRUE(stages.contains("read") && stages.contains("pairs") && stages.contains("cluster"));

  const auto run = Run::open(dir / "run");
  ASSERT_TRUE(run.is_ok()) << run.error().message;
  EXPECT_TRUE(run->verify().is_ok());
  EXPECT_EQ(run->urls(), report->bags.urls);
  uint64_t members = 0;
  for (uint64_t number = 0; number < run->clusters(); ++number) {
    const auto cluster = run->cluster(number);
    ASSERT_TRUE(cluster.is_ok());
    members += cluster->members.size();
    for (const Related& member : cluster->members) EXPECT_GE(member.similarity, 0.2);
  }
  EXPECT_EQ(members, run->urls());
  for (UrlId id = 0; id < run->urls(); id += 97) {
    EXPECT_EQ(*run->find(*run->url(id)), id);
    EXPECT_LE(run->related(id, 5)->size(), 5u);
  }
}

TEST_P(Pipeline, PairsAgreeWithTheDegrees) {
  const test::TempDir dir;
  ASSERT_TRUE(cluster_crawl(sample_options(dir, GetParam())).is_ok());
  const auto run = Run::open(dir / "run");
  std::vector<uint32_t> degree(run->urls(), 0);
  std::pair<UrlId, UrlId> last{0, 0};
  const Status status = run->for_each_pair(pair_options(dir, 3), [&](const SimilarPair& pair) {
    EXPECT_LT(pair.a, pair.b);
    EXPECT_LT(last, std::pair(pair.a, pair.b));
    last = {pair.a, pair.b};
    EXPECT_GE(pair.similarity, 0.2);
    ++degree[pair.a];
    ++degree[pair.b];
    return true;
  });
  ASSERT_TRUE(status.is_ok());
  // Tables lose one similar pair of 200 at most that have met, `kith pairs` far fewer
  // (docs/algorithms/pairs.md).
  const bool by_tables = run->report().engine.engine == EngineChoice::lsh;
  uint64_t all = 0;
  uint64_t lost = 0;
  for (UrlId id = 0; id < run->urls(); ++id) {
    const uint32_t own = *run->degree(id);
    EXPECT_LE(own, degree[id]) << id;
    all += degree[id];
    lost += degree[id] - own;
  }
  EXPECT_LE(lost, by_tables ? all / 200 : 0);
}

TEST_P(Pipeline, PairsStopWhenTheCallerHasEnough) {
  const test::TempDir dir;
  ASSERT_TRUE(cluster_crawl(sample_options(dir, GetParam())).is_ok());
  const auto run = Run::open(dir / "run");
  int taken = 0;
  EXPECT_TRUE(
      run->for_each_pair(pair_options(dir, 2), [&](const SimilarPair&) { return ++taken < 10; })
          .is_ok());
  EXPECT_EQ(taken, 10);
}

INSTANTIATE_TEST_SUITE_P(Engines, Pipeline,
                         testing::Values(EngineChoice::exact, EngineChoice::lsh,
                                         EngineChoice::paper));

}  // namespace
}  // namespace kith::jobs
