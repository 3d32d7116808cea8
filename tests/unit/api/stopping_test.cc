// Jobs that their progress callback stops: on which thread it is called, what is returned, and that
// the same command goes on.
#include <chrono>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "kith/classify.h"
#include "kith/dedup.h"
#include "kith/pages.h"
#include "kith/pipeline.h"
#include "kith/run.h"
#include "kith/text_dedup.h"

#include "support/temp_dir.h"
#include "unit/api/sample.h"
#include "unit/jobs/dedup/texts.h"

namespace kith::api {
namespace {

ClusterOptions cluster_options(const std::string& output, EngineChoice engine) {
  ClusterOptions options;
  options.inputs = {test::sample_crawl()};
  options.output = output;
  options.engine = engine;
  options.similarity = 0.2;
  options.threads = 3;
  return options;
}

// A callback that notes its stages and whether it is called on this thread only.
class Watch {
 public:
  ProgressCallback callback(std::string stop_at = "") {
    return [this, stop_at = std::move(stop_at)](const Progress& now) {
      EXPECT_EQ(std::this_thread::get_id(), caller_);
      EXPECT_FALSE(stopped) << "called again";
      stages.emplace(now.stage);
      stopped = now.stage == stop_at;
      return !stopped;
    };
  }

  std::set<std::string> stages;
  bool stopped = false;

 private:
  const std::thread::id caller_ = std::this_thread::get_id();
};

class StoppedCluster : public testing::TestWithParam<EngineChoice> {};

TEST_P(StoppedCluster, GoesOnWithTheSameCommand) {
  const test::TempDir dir;
  Watch whole;
  const auto report = cluster_crawl(cluster_options(dir / "whole", GetParam()), whole.callback());
  ASSERT_TRUE(report.is_ok());
  EXPECT_GE(whole.stages.size(), 5u);
  const ClusterOptions options = cluster_options(dir / "stopped", GetParam());
  for (const std::string& stage : whole.stages) {
    if (stage == "verify") continue;
    Watch watch;
    const auto stopped = cluster_crawl(options, watch.callback(stage));
    if (!watch.stopped) continue;  // a stage that an earlier round has finished
    ASSERT_FALSE(stopped.is_ok()) << stage;
    EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled) << stage;
  }
  const auto resumed = cluster_crawl(options);
  ASSERT_TRUE(resumed.is_ok()) << resumed.error().message;
  EXPECT_EQ(resumed->clusters.clusters, report->clusters.clusters);
  EXPECT_TRUE(Run::open(options.output)->verify().is_ok());
}

INSTANTIATE_TEST_SUITE_P(, StoppedCluster, testing::Values(EngineChoice::exact, EngineChoice::lsh));

TEST(StoppedDedup, GoesOnWithTheSameCommand) {
  const test::TempDir dir;
  test::write_file(dir / "documents.jsonl", test::lines_of(test::make_texts(400, 1)));
  DedupOptions options;
  options.inputs = {dir / "documents.jsonl"};
  options.output = dir / "run";
  options.threads = 3;
  Watch whole;
  const auto report = dedup(options, whole.callback());
  ASSERT_TRUE(report.is_ok());
  options.output = dir / "stopped";
  for (const std::string& stage : whole.stages) {
    if (stage == "verify") continue;
    Watch watch;
    const auto stopped = dedup(options, watch.callback(stage));
    if (!watch.stopped) continue;
    ASSERT_FALSE(stopped.is_ok()) << stage;
    EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled) << stage;
  }
  const auto resumed = dedup(options);
  ASSERT_TRUE(resumed.is_ok()) << resumed.error().message;
  EXPECT_EQ(resumed->groups.removed, report->groups.removed);
}

TEST(StoppedDedup, ReadsNoFurther) {
  DedupOptions options;
  const test::TempDir dir;
  options.inputs = {test::sample_crawl()};
  options.output = dir / "run";
  options.threads = 3;
  Watch watch;
  const auto stopped = dedup(options, watch.callback("documents"));
  ASSERT_FALSE(stopped.is_ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
}

TEST(StoppedList, IsAnErrorToo) {
  ReadOptions options;
  options.inputs = {test::sample_crawl()};
  Watch watch;
  const auto stopped = list_pages(
      options, [](const PageRow&) { return true; }, watch.callback("read"));
  ASSERT_FALSE(stopped.is_ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
}

TEST(StoppedClasses, AreAnErrorToo) {
  const test::TempDir dir;
  ASSERT_TRUE(cluster_crawl(cluster_options(dir / "run", EngineChoice::exact)).is_ok());
  const auto run = Run::open(dir / "run");
  std::string table = "url\tclass\n";
  for (UrlId id = 0; id < 40; ++id) {
    table += *run->url(id) + (id % 2 == 0 ? "\teven\n" : "\todd\n");
  }
  test::write_file(dir / "labels.tsv", table);
  ClassifyOptions options;
  options.run = dir / "run";
  options.labels = dir / "labels.tsv";
  Watch watch;
  const auto stopped = classify_pages(
      options, [](const ClassifiedPage&) { return true; }, watch.callback("classify"));
  ASSERT_FALSE(stopped.is_ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
}

TEST(StoppedTexts, AreAnErrorBeforeTheFirstShingle) {
  const std::vector<std::string_view> texts = {"some words of a text", "some other words"};
  Watch watch;
  const auto stopped = dedup_texts(texts, {}, {}, {}, watch.callback("documents"));
  ASSERT_FALSE(stopped.is_ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
}

TEST(EmptyCallback, StaysEmpty) {
  EXPECT_FALSE(ProgressCallback());
  EXPECT_FALSE(ProgressCallback(nullptr));
  EXPECT_FALSE(ProgressCallback(std::function<void(const Progress&)>()));
  EXPECT_FALSE(ProgressCallback(std::function<bool(const Progress&)>()));
  EXPECT_TRUE(ProgressCallback([](const Progress&) {}));
}

TEST(ThrowingCallback, MayThrowAnything) {
  ReadOptions options;
  options.inputs = {test::sample_crawl()};
  const auto stopped = list_pages(
      options, [](const PageRow&) { return true; }, [](const Progress&) { throw 7; });
  ASSERT_FALSE(stopped.is_ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::io);
}

TEST(ThrowingCallback, EndsTheJobWithItsMessage) {
  const test::TempDir dir;
  const auto failed =
      cluster_crawl(cluster_options(dir / "run", EngineChoice::exact), [](const Progress& now) {
        if (now.stage == "read") throw std::runtime_error("no more paper");
      });
  ASSERT_FALSE(failed.is_ok());
  EXPECT_EQ(failed.error().message, "no more paper");
}

}  // namespace
}  // namespace kith::api
