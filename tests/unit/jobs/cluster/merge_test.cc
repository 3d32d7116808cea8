// What a merge refuses, of shards that are sound.
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "kith/pipeline.h"

#include "run/json.h"
#include "support/temp_dir.h"

namespace kith::jobs {
namespace {

TEST(Merge, WantsShardsOfThisVersion) {
  const test::TempDir dir;
  test::write_file(dir / "in.jsonl", "{\"url\":\"http://a.com/\",\"text\":\"one two three\"}\n");
  ClusterOptions options;
  options.inputs = {dir / "in.jsonl"};
  options.output = dir / "shard";
  options.shard = 1;
  options.shards = 1;
  ASSERT_TRUE(cluster_crawl(options).is_ok());
  const std::string path = dir / "shard/report.json";
  nlohmann::json report = nlohmann::json::parse(test::read_file(path));
  report["version"] = "0.0.9";
  test::write_file(path, run::with_checksum(report.dump()));
  MergeOptions merging;
  merging.shards = {dir / "shard"};
  merging.output = dir / "run";
  const auto merged = merge(merging);
  ASSERT_FALSE(merged.is_ok());
  const std::string& message = merged.error().message;
  EXPECT_NE(message.find("shard: was made by kith 0.0.9"), std::string::npos) << message;
  EXPECT_NE(message.find("make the shard again"), std::string::npos) << message;
}

}  // namespace
}  // namespace kith::jobs
