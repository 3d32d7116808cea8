#include "kith/options.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "run/json.h"

namespace kith::run {
namespace {

ClusterOptions valid() {
  ClusterOptions options;
  options.inputs = {"a.warc.gz"};
  options.output = "run";
  return options;
}

TEST(Options, DefaultsAreValid) {
  EXPECT_TRUE(validate(valid()).is_ok());
}

TEST(Options, EveryRangeIsChecked) {
  std::vector<ClusterOptions> wrong(20, valid());
  wrong[0].inputs.clear();
  wrong[1].output.clear();
  wrong[2].window = 1001;
  wrong[3].min_df = 0;
  wrong[4].max_df = 1.01;
  wrong[5].similarity = 0;
  wrong[6].similarity = std::nan("");
  wrong[7].recall = 1;
  wrong[8].lanes = 40;
  wrong[9].max_tables = 0;
  wrong[10].neighbours = 1001;
  wrong[11].max_page = 10;
  wrong[12].memory = 1;
  wrong[13].threads = 5000;
  wrong[14].shard = 1;
  wrong[15].shards = 3;
  wrong[16].shard = 4;
  wrong[16].shards = 3;
  wrong[17].shard = wrong[17].shards = 1;
  wrong[17].inputs = {"-"};
  wrong[18].other_sites = 1001;
  paper_preset(wrong[19]);
  wrong[19].other_sites = 1;
  for (const ClusterOptions& options : wrong) {
    const Status status = validate(options);
    ASSERT_FALSE(status.is_ok());
    EXPECT_EQ(status.error().kind, ErrorKind::usage);
  }
}

TEST(PaperPreset, SetsWhatThePaperHas) {
  ClusterOptions options = valid();
  paper_preset(options);
  EXPECT_EQ(options.engine, EngineChoice::paper);
  EXPECT_EQ(options.similarity, 0.2);
  EXPECT_TRUE(validate(options).is_ok());
  options.similarity = 0.3;
  paper_preset(options);
  EXPECT_EQ(options.similarity, 0.3);
  std::vector<ClusterOptions> wrong(3, options);
  wrong[0].order = Order::degree;
  wrong[1].assign = Assign::best;
  wrong[2].similarity.reset();
  for (const ClusterOptions& other : wrong) EXPECT_FALSE(validate(other).is_ok());
}

TEST(Options, OfAMerge) {
  MergeOptions options;
  options.shards = {"a", "b"};
  options.output = "run";
  EXPECT_TRUE(validate(options).is_ok());
  std::vector<MergeOptions> wrong(4, options);
  wrong[0].shards.clear();
  wrong[1].output.clear();
  wrong[2].memory = 1;
  wrong[3].threads = 5000;
  for (const MergeOptions& each : wrong) EXPECT_EQ(validate(each).error().kind, ErrorKind::usage);
}

TEST(ParseSize, ReadsWhatPeopleWrite) {
  EXPECT_EQ(*parse_size("100000"), 100'000u);
  EXPECT_EQ(*parse_size("64M"), 64u << 20);
  EXPECT_EQ(*parse_size("4g"), uint64_t{4} << 30);
  EXPECT_EQ(*parse_size("1.5GiB"), uint64_t{3} << 29);
  EXPECT_EQ(*parse_size("2kb"), 2048u);
  EXPECT_EQ(*parse_size("1T"), uint64_t{1} << 40);
  for (const char* const text : {"", "M", "4X", "-1", "4 G", "nan", "1e30", "inf"}) {
    EXPECT_FALSE(parse_size(text).is_ok()) << text;
  }
}

TEST(Report, SurvivesJson) {
  Report report;
  report.version = "1.2.3";
  report.options = valid();
  report.options.similarity = 0.25;
  report.options.order = Order::inlinks;
  report.crawl.skipped = {{"damaged", 3}};
  report.crawl.examples = {{"damaged", "file \xff name", 17, "why"}};
  report.threshold.nearest.p90 = 0.75;
  report.engine.engine = EngineChoice::lsh;
  report.engine.considered = {{.per_key = 1, .tables = 9},
                              {.per_key = 2, .tables = 40, .candidates = 6.5e9, .chosen = true}};
  report.stages = {{"bags", 1.5, 1 << 20, false}};
  const auto again = report_from_json(kith::to_json(report));
  ASSERT_TRUE(again.is_ok());
  EXPECT_EQ(again->version, "1.2.3");
  EXPECT_EQ(again->options.similarity, 0.25);
  EXPECT_EQ(again->options.order, Order::inlinks);
  EXPECT_EQ(again->crawl.skipped, report.crawl.skipped);
  EXPECT_EQ(again->crawl.examples[0].offset, 17u);
  EXPECT_EQ(again->threshold.nearest.p90, 0.75);
  ASSERT_EQ(again->engine.considered.size(), 2u);
  EXPECT_EQ(again->engine.considered[1].tables, 40u);
  EXPECT_EQ(again->engine.considered[1].candidates, 6.5e9);
  EXPECT_TRUE(again->engine.considered[1].chosen);
  EXPECT_EQ(again->stages[0].stage, "bags");
}

TEST(Report, OtherTextIsRefused) {
  for (const char* const text : {"", "[]", "7", "{\"version\": 7}", "{\"stages\": 3}"}) {
    EXPECT_FALSE(report_from_json(text).is_ok()) << text;
  }
}

// What only costs time or place does not make another run.
TEST(Identity, LeavesOutWhatTheFilesDoNotDependOn) {
  ClusterOptions a = valid();
  ClusterOptions b = a;
  b.threads = 7;
  b.memory = 1 << 30;
  b.output = "elsewhere";
  b.check_queries = 0;
  EXPECT_EQ(identity_of(a), identity_of(b));
  b.window = 9;
  EXPECT_NE(identity_of(a), identity_of(b));
}

}  // namespace
}  // namespace kith::run
