// Manifests and reports that another program, or a mistake, has changed.
#include "jobs/cluster/run_directory.h"

#include <filesystem>
#include <functional>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "jobs/cluster/pair_stage.h"
#include "run/json.h"
#include "support/forwarding_file_system.h"
#include "support/memory_file_system.h"
#include "support/temp_dir.h"

namespace kith::jobs {
namespace {

using nlohmann::json;

Report planned_report() {
  Report report;
  report.options.inputs = {"crawl"};
  report.options.output = "run";
  report.threshold.similarity = 0.2;
  report.engine.engine = EngineChoice::lsh;
  report.engine.per_key = 3;
  report.engine.tables = 40;
  report.crawl.skipped = {{"damaged", 1}};
  report.crawl.examples = {{"damaged", "crawl", 7, "no record"}};
  report.stages = {{"bags", 0.5, 1000, false}};
  return report;
}

json manifest() {
  return {{"format", 4},
          {"kith", "0.1.0"},
          {"identity", {{"inputs", json::array()}, {"options", json::object()}}},
          {"stages", {"bags", "plan", "pairs", "cluster"}}};
}

Result<RunDirectory> open(const std::string& manifest_text, const std::string& report_text) {
  test::MemoryFileSystem fs;
  fs.put("run/manifest.json", manifest_text);
  const bool is_object = run::parse_json(report_text).is_object();
  fs.put("run/report.json", is_object ? run::with_checksum(report_text) : report_text);
  return RunDirectory::open(fs, "run");
}

void expect_damaged(const Result<RunDirectory>& run, const std::string& file) {
  ASSERT_FALSE(run.is_ok());
  EXPECT_EQ(run.error().kind, ErrorKind::corrupt);
  EXPECT_TRUE(run.error().message.starts_with("run/" + file + ": ")) << run.error().message;
}

std::string nested(size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(RunDirectory, AShardIsForAMergeOnly) {
  json shard = manifest();
  shard["stages"] = {"shard"};
  Report report = planned_report();
  expect_damaged(open(shard.dump(), kith::to_json(report)), "report.json");  // part 0 of 0
  report.options.shard = 2;
  report.options.shards = 3;
  expect_damaged(open(manifest().dump(), kith::to_json(report)), "report.json");  // part of a run
  const auto run = open(shard.dump(), kith::to_json(report));
  ASSERT_FALSE(run.is_ok());
  EXPECT_EQ(run.error().kind, ErrorKind::usage);
  EXPECT_TRUE(run.error().message.starts_with("run: is shard 2 of 3, not a run"));

  test::MemoryFileSystem fs;
  fs.put("run/manifest.json", shard.dump());
  fs.put("run/report.json", run::with_checksum(kith::to_json(report)));
  EXPECT_FALSE(RunDirectory::is_shard(fs, "run"));
  fs.put("run/shard.kith", "");
  EXPECT_TRUE(RunDirectory::is_shard(fs, "run"));
  EXPECT_EQ(RunDirectory::open_shard(fs, "run")->report().options.shards, 3u);
}

TEST(RunDirectory, ASoundOneIsOpened) {
  const auto run = open(manifest().dump(), kith::to_json(planned_report()));
  ASSERT_TRUE(run.is_ok()) << run.error().message;
  EXPECT_EQ(run->report().engine.tables, 40u);
  EXPECT_EQ(run->report().crawl.skipped, planned_report().crawl.skipped);
  EXPECT_EQ(run->report().crawl.examples[0].offset, 7u);
  EXPECT_FALSE(run->report().stages[0].reused);
}

// The operating system's files, where every folder has a file more than it has.
class WithNotes : public test::ForwardingFileSystem {
 public:
  Result<std::vector<std::string>> list(const std::string& folder) override {
    KITH_ASSIGN(auto names, test::ForwardingFileSystem::list(folder));
    names.emplace_back("notes.txt");
    return names;
  }
};

TEST(RunDirectory, AsksItsFileSystemWhetherAFolderIsEmpty) {
  const test::TempDir dir;
  test::write_file(dir / "pages.jsonl", R"({"url": "https://a.example/", "text": "one"})");
  std::filesystem::create_directory(dir / "run");
  ClusterOptions options;
  options.inputs = {dir / "pages.jsonl"};
  options.output = dir / "run";
  WithNotes fs;
  const auto refused = RunDirectory::create(fs, options);
  ASSERT_FALSE(refused.is_ok());
  EXPECT_NE(refused.error().message.find("run: is not empty"), std::string::npos);
  EXPECT_TRUE(RunDirectory::create(storage::posix_file_system(), options).is_ok());
}

TEST(RunDirectory, KeysOfOtherVersionsAreNoDamage) {
  json report = json::parse(kith::to_json(planned_report()));
  report["crawl"].erase("records");
  report["crawl"]["moons"] = {1, "two"};
  EXPECT_TRUE(open(manifest().dump(), report.dump()).is_ok());
}

TEST(RunDirectory, AReportWithImpossibleValuesIsDamaged) {
  const std::vector<std::function<void(json&)>> damages{
      [](json& report) { report["options"]["lanes"] = 0; },
      [](json& report) { report["options"]["lanes"] = -16; },
      [](json& report) { report["options"]["lanes"] = 16.5; },
      [](json& report) { report["threads"] = 1e300; },
      [](json& report) { report["engine"]["engine"] = "auto"; },
      [](json& report) { report["engine"]["engine"] = "of a later version"; },
      [](json& report) { report["options"]["bags"] = "x"; },
      [](json& report) { report["options"]["related"] = ""; },
      [](json& report) { report["engine"]["per_key"] = 9; },
      [](json& report) { report["engine"]["tables"] = 0; },
      [](json& report) { report["engine"]["tables"] = 1025; },
      [](json& report) { report["threshold"]["similarity"] = -0.1; },
      [](json& report) { report["threshold"]["similarity"] = 1.1; },
      [](json& report) { report["crawl"]["skipped"] = {{"damaged"}}; },
      [](json& report) {
        report["crawl"]["examples"] = {{{"offset", "7"}}};
      },
      [](json& report) { report["stages"] = {7}; },
      [](json& report) { report["options"]["inputs"] = {nullptr}; },
      [](json& report) { report = json::array(); },
  };
  for (const auto& damage : damages) {
    json report = json::parse(kith::to_json(planned_report()));
    damage(report);
    SCOPED_TRACE(report.dump());
    expect_damaged(open(manifest().dump(), report.dump()), "report.json");
  }
}

TEST(RunDirectory, ChecksumsThatAreNoneAreDamage) {
  const std::vector<json> wrong{7,
                                "0123456789abcdef",
                                json::array({"bags.kith"}),
                                {{"bags", "0123456789abcdef"}},
                                {{"bags", {{"bags.kith", 7}}}}};
  for (const json& checksums : wrong) {
    SCOPED_TRACE(checksums.dump());
    json changed = manifest();
    changed["checksums"] = checksums;
    expect_damaged(open(changed.dump(), kith::to_json(planned_report())), "manifest.json");
  }
}

TEST(RunDirectory, DeepNestingIsDamage) {
  constexpr size_t deep = 200'000;
  json base = manifest();
  base["identity"]["x"] = "here";
  std::string text = base.dump();
  text.replace(text.find("\"here\""), 6, nested(deep));
  expect_damaged(open(text, kith::to_json(planned_report())), "manifest.json");
  expect_damaged(open(manifest().dump(), "{\"x\":" + nested(deep) + "}"), "report.json");
}

TEST(SignatureTable, AnotherNumberOfSignaturesIsRefused) {
  test::MemoryFileSystem fs;
  ThreadPool pool(1);
  const std::vector<uint64_t> offsets{0, 1, 1};
  const std::vector<sketch::BagEntry> entries{{0, sketch::bag_total}};
  const sketch::BagCollection bags(offsets, entries);
  const sketch::SketchOptions options{.lanes = 32};
  ASSERT_TRUE(write_signatures(fs, "signatures.kith", bags, options, pool).is_ok());
  const auto open = [&](uint32_t lanes, uint64_t count) {
    return SignatureTable::open(fs, "signatures.kith", lanes, count);
  };
  EXPECT_EQ(open(32, 2)->signatures().size(), 2u);
  for (const auto& [lanes, count] : {std::pair{32u, 3u}, {32u, 1u}, {16u, 2u}, {48u, 2u}}) {
    EXPECT_EQ(open(lanes, count).error().kind, ErrorKind::corrupt);
  }
}

}  // namespace
}  // namespace kith::jobs
