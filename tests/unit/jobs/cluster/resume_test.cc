// A run that is killed at any moment, fills the disk or finds damaged files comes to the same
// bytes as one that was left alone, when the same command is given again.
#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "kith/run.h"

#include "base/random.h"
#include "jobs/cluster/job.h"
#include "run/json.h"
#include "run/stage_files.h"
#include "support/crashing_file_system.h"
#include "support/faulty_file_system.h"
#include "support/temp_dir.h"

namespace kith::jobs {
namespace {

namespace fs_path = std::filesystem;
using nlohmann::json;
using Files = std::map<std::string, std::string>;

std::string few_pages() {
  constexpr std::array words{"guitar", "chord", "melody", "oven", "butter", "flour", "galaxy"};
  std::string lines;
  for (size_t i = 0; i < 9; ++i) {
    std::string text;
    for (size_t j = 0; j < 5; ++j) text += std::string(words[(i / 3 * 2 + j) % 7]) + ' ';
    lines += json{{"url", "https://a.example/" + std::to_string(i)}, {"text", text}}.dump() + "\n";
  }
  return lines;
}

// The report without what the clock and the way to the result decide.
std::string timeless(const std::string& report_text) {
  json report = json::parse(report_text);
  report.erase("peak_memory");
  for (const char* const parts : {"stages", "steps"}) {
    for (json& part : report[parts]) {
      for (const char* const key : {"seconds", "peak_memory", "reused", "damage", "memory"})
        part.erase(key);
    }
  }
  report.erase("checksum");
  return report.dump();
}

// Everything below a folder by its name.
Files files_of(const std::string& folder) {
  Files files;
  for (const auto& entry : fs_path::recursive_directory_iterator(folder)) {
    const std::string name = fs_path::relative(entry.path(), folder).string();
    files[name] = entry.is_regular_file() ? test::read_file(entry.path().string()) : "(folder)";
  }
  if (files.contains("report.json")) files["report.json"] = timeless(files["report.json"]);
  return files;
}

std::vector<std::string> names_of(const Files& files) {
  std::vector<std::string> names;
  for (const auto& [name, content] : files) names.push_back(name);
  return names;
}

// As the manifest has them.
json finished_stages(const std::string& run) {
  return json::parse(test::read_file(run + "/manifest.json"))["stages"];
}

enum class Kind { exact, lsh, paper, bags_of_another_run };

// A small job and what it leaves when nothing disturbs it.
class Resume : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    test::write_file(dir_ / "crawl.jsonl", few_pages());
    options_.inputs = {dir_ / "crawl.jsonl"};
    options_.output = dir_ / "run";
    options_.bags = BagKind::content;
    options_.min_df = 1;
    options_.similarity = 0.2;
    options_.engine = GetParam() == Kind::lsh ? EngineChoice::lsh : EngineChoice::exact;
    if (GetParam() == Kind::paper) paper_preset(options_);
    options_.lanes = 16;
    options_.check_queries = 3;
    options_.threads = 1;
    if (GetParam() == Kind::bags_of_another_run) {
      ClusterOptions first = options_;
      first.output = dir_ / "first";
      ASSERT_TRUE(cluster(posix_, first).is_ok());
      options_.inputs = {first.output};
      options_.engine = EngineChoice::lsh;
    }
    ASSERT_TRUE(cluster(posix_, options_).is_ok());
    undisturbed_ = files_of(options_.output);
  }

  // The same command again.
  Report run_again(const ProgressCallback& progress = {}) {
    const auto report = cluster(posix_, options_, progress);
    EXPECT_TRUE(report.is_ok()) << report.error().message;
    return report ? *report : Report();
  }

  void expect_undisturbed() {
    const Files files = files_of(options_.output);
    ASSERT_EQ(names_of(files), names_of(undisturbed_));
    for (const auto& [name, content] : undisturbed_) EXPECT_EQ(files.at(name), content) << name;
  }

  void start_anew() { fs_path::remove_all(options_.output); }

  // Whether the run was killed.
  bool crash_after(uint64_t operations, test::Loss loss) {
    test::CrashingFileSystem fs(operations, loss);
    const bool is_ok = cluster(fs, options_).is_ok();
    EXPECT_EQ(is_ok, !fs.crashed());
    return fs.crashed();
  }

  test::TempDir dir_{test::Medium::memory};  // hundreds of runs, each with some thirty syncs
  storage::FileSystem& posix_ = storage::posix_file_system();
  ClusterOptions options_;
  Files undisturbed_;
};

// No crash damages a finished stage: its files are synced before the manifest names it.
TEST_P(Resume, AfterACrashAtEveryOperation) {
  for (const test::Loss loss : {test::Loss::nothing, test::Loss::unsynced}) {
    for (uint64_t operations = 0;; ++operations) {
      SCOPED_TRACE(operations);
      start_anew();
      if (!crash_after(operations, loss)) {
        EXPECT_GT(operations, 50u);
        break;
      }
      run_again([](const Progress& progress) { EXPECT_EQ(progress.note, ""); });
      expect_undisturbed();
      if (HasFailure()) return;
    }
  }
}

TEST_P(Resume, AfterCrashesOneAfterTheOther) {
  Rng rng(1);
  for (int round = 0; round < 20; ++round) {
    SCOPED_TRACE(round);
    start_anew();
    int crashes = 0;
    while (crash_after(rng.below(80), test::Loss::unsynced)) ASSERT_LT(++crashes, 200);
    expect_undisturbed();
    if (HasFailure()) return;
  }
}

TEST_P(Resume, AfterAFullDisk) {
  int failures = 0;
  int kept = 0;
  for (uint64_t capacity = 0;; capacity += 397) {
    SCOPED_TRACE(capacity);
    start_anew();
    test::FullDisk disk(capacity);
    if (cluster(disk, options_).is_ok()) break;
    ++failures;
    if (fs_path::exists(options_.output)) {
      ++kept;
      EXPECT_FALSE(finished_stages(options_.output).empty());
      for (const std::string& name : names_of(files_of(options_.output))) {
        EXPECT_TRUE(undisturbed_.contains(name)) << name;
      }
    }
    run_again();
    expect_undisturbed();
    if (HasFailure()) return;
  }
  EXPECT_GT(kept, 3);
  EXPECT_GT(failures, kept);
}

// A disk that is full from the start takes nothing from a folder that a killed run has left.
TEST_P(Resume, AfterACrashAndThenAFullDisk) {
  for (uint64_t operations = 0;; operations += 3) {
    SCOPED_TRACE(operations);
    start_anew();
    if (!crash_after(operations, test::Loss::nothing)) break;
    test::FullDisk disk(0);
    EXPECT_FALSE(cluster(disk, options_).is_ok());
    run_again();
    expect_undisturbed();
    if (HasFailure()) return;
  }
}

std::string stage_of(const std::string& file) {
  if (file == run::signatures_file) return "sketch";
  if (file == run::neighbours_file || file == run::other_sites_file || file == run::pairs_file)
    return "pairs";
  if (file == run::smoothed_file || file == run::smoothed_sites_file) return "smooth";
  if (file == run::clusters_file) return "cluster";
  if (file == run::topics_file) return "topics";
  return "bags";
}

using Damage = std::function<void(const std::string& path)>;

std::vector<Damage> damages() {
  const auto flip = [](double share) {
    return [share](const std::string& path) {
      std::string bytes = test::read_file(path);
      char& byte = bytes[static_cast<size_t>(share * static_cast<double>(bytes.size() - 1))];
      byte = static_cast<char>(byte ^ 0x10);
      fs_path::remove(path);  // it may be a second name of a file of another run
      test::write_file(path, bytes);
    };
  };
  std::vector<Damage> all;
  for (int i = 0; i <= 16; ++i) all.emplace_back(flip(i / 16.0));
  all.emplace_back([](const std::string& path) { fs_path::remove(path); });
  all.emplace_back([](const std::string& path) {
    fs_path::remove(path);
    test::write_file(path, "");
  });
  all.emplace_back([](const std::string& path) {
    const std::string bytes = test::read_file(path);
    fs_path::remove(path);
    test::write_file(path, bytes.substr(0, bytes.size() / 2));
  });
  return all;
}

TEST_P(Resume, ADamagedFileIsNamedAndOnlyItsStageIsRunAgain) {
  for (const auto& [name, content] : undisturbed_) {
    if (!name.ends_with(".kith")) continue;
    for (const Damage& damage : damages()) {
      damage(dir_ / "run/" + name);
      std::vector<std::string> notes;
      const Report report = run_again([&](const Progress& progress) {
        if (!progress.note.empty()) notes.emplace_back(progress.note);
      });
      ASSERT_EQ(notes.size(), 1u) << name;
      EXPECT_NE(notes[0].find("/run/" + name + ": "), std::string::npos) << notes[0];
      EXPECT_TRUE(notes[0].ends_with("; the " + stage_of(name) + " stage is run again"))
          << notes[0];
      for (const StageReport& stage : report.stages) {
        EXPECT_EQ(stage.reused, stage.stage != stage_of(name)) << stage.stage;
        if (stage.reused) continue;
        EXPECT_TRUE(notes[0].starts_with(stage.damage + ";")) << stage.damage;
      }
      expect_undisturbed();
      if (HasFailure()) return;
    }
  }
}

TEST_P(Resume, ASoundFileOfAnotherRunIsDamage) {
  ClusterOptions other = options_;
  other.output = dir_ / "other";
  other.similarity = 0.9;
  other.seed = 7;
  if (GetParam() != Kind::bags_of_another_run) other.min_df = 3;
  ASSERT_TRUE(cluster(posix_, other).is_ok());
  int replaced = 0;
  for (const auto& [name, content] : undisturbed_) {
    if (!name.ends_with(".kith") || test::read_file(dir_ / "other/" + name) == content) continue;
    ++replaced;
    fs_path::remove(dir_ / "run/" + name);
    fs_path::copy_file(dir_ / "other/" + name, dir_ / "run/" + name);
    const Report report = run_again();
    for (const StageReport& stage : report.stages) {
      EXPECT_EQ(stage.reused, stage.stage != stage_of(name)) << stage.stage;
    }
    expect_undisturbed();
  }
  EXPECT_GE(replaced, 2);
}

json read_json(const std::string& path) {
  return json::parse(test::read_file(path));
}

TEST_P(Resume, AChangedPlanIsChosenAgain) {
  json report = read_json(dir_ / "run/report.json");
  report["threshold"]["similarity"] = 0.7;
  test::write_file(dir_ / "run/report.json", run::with_checksum(report.dump()));
  std::string note;
  run_again([&](const Progress& progress) {
    if (!progress.note.empty()) note = progress.note;
  });
  EXPECT_NE(note.find("report.json: threshold and engine"), std::string::npos) << note;
  EXPECT_TRUE(note.ends_with("the plan stage is run again")) << note;
  expect_undisturbed();
}

TEST_P(Resume, AChangedReportIsMadeAgainWithAllStages) {
  const std::string path = dir_ / "run/report.json";
  json changed = read_json(path);
  changed["crawl"]["pages"] = 7;
  for (const std::string& report : {changed.dump(), std::string("{"), std::string()}) {
    test::write_file(path, report);
    EXPECT_EQ(kith::Run::open(dir_ / "run").error().kind, ErrorKind::corrupt);
    size_t notes = 0;
    const Report again = run_again([&](const Progress& progress) {
      if (progress.note.find("report.json: is damaged; the ") != std::string::npos) ++notes;
    });
    EXPECT_EQ(notes, again.stages.size());
    for (const StageReport& stage : again.stages) EXPECT_FALSE(stage.reused) << stage.stage;
    expect_undisturbed();
  }
}

// As when another version of the program has made the bags.
TEST_P(Resume, StagesBehindAnotherOutcomeAreRunAgain) {
  json manifest = read_json(dir_ / "run/manifest.json");
  manifest["checksums"]["bags"]["terms.kith"] = "0123456789abcdef";
  test::write_file(dir_ / "run/manifest.json", manifest.dump());
  const Report report = run_again();
  for (const StageReport& stage : report.stages) EXPECT_FALSE(stage.reused) << stage.stage;
  expect_undisturbed();
}

// A run of before checksums were kept is held against those in its files.
TEST_P(Resume, WithoutChecksumsInTheManifest) {
  json manifest = read_json(dir_ / "run/manifest.json");
  manifest.erase("checksums");
  test::write_file(dir_ / "run/manifest.json", manifest.dump());
  for (const StageReport& stage : run_again().stages) EXPECT_TRUE(stage.reused) << stage.stage;
  fs_path::resize_file(dir_ / "run/clusters.kith", 100);
  for (const StageReport& stage : run_again().stages) {
    const bool follows = stage.stage == "topics" || stage.stage == "check";
    EXPECT_EQ(stage.reused, stage.stage != "cluster" && !follows) << stage.stage;
  }
  const Files files = files_of(dir_ / "run");
  ASSERT_EQ(names_of(files), names_of(undisturbed_));
  EXPECT_EQ(files.at("clusters.kith"), undisturbed_.at("clusters.kith"));
}

TEST_P(Resume, SeveralDamagedFiles) {
  for (const char* const name : {"titles.kith", "neighbours.kith", "clusters.kith"}) {
    fs_path::remove(dir_ / "run/" + name);
  }
  int notes = 0;
  run_again([&](const Progress& progress) { notes += !progress.note.empty(); });
  EXPECT_EQ(notes, 3);
  expect_undisturbed();
}

TEST_P(Resume, ARepairIsResumedToo) {
  for (uint64_t operations = 0;; ++operations) {
    SCOPED_TRACE(operations);
    fs_path::remove(dir_ / "run/terms.kith");
    fs_path::remove(dir_ / "run/clusters.kith");
    const bool crashed = crash_after(operations, test::Loss::unsynced);
    run_again();
    expect_undisturbed();
    if (!crashed || HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Resume,
                         testing::Values(Kind::exact, Kind::lsh, Kind::paper,
                                         Kind::bags_of_another_run));

class ReusedBags : public Resume {};

// The four files are second names of those of the first run, damage included.
TEST_P(ReusedBags, DamageInTheFirstRunIsNamedAndMendedThere) {
  test::write_file(dir_ / "run/bags.kith", test::read_file(dir_ / "run/bags.kith").substr(1));
  const auto report = cluster(posix_, options_);
  ASSERT_FALSE(report.is_ok());
  EXPECT_NE(report.error().message.find("/first/bags.kith: "), std::string::npos)
      << report.error().message;
  ClusterOptions first = options_;
  first.inputs = {dir_ / "crawl.jsonl"};
  first.output = dir_ / "first";
  first.engine = EngineChoice::exact;
  ASSERT_TRUE(cluster(posix_, first).is_ok());
  for (const StageReport& stage : run_again().stages) {
    EXPECT_EQ(stage.reused, stage.stage != "bags") << stage.stage;
  }
  expect_undisturbed();
}

INSTANTIATE_TEST_SUITE_P(Kinds, ReusedBags, testing::Values(Kind::bags_of_another_run));

}  // namespace
}  // namespace kith::jobs
