// Another process cuts the files of a run off while it is open: every question is answered by an
// error. What touches a mapping of such a file would end this test by SIGBUS.
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "kith/dedup_run.h"
#include "kith/pipeline.h"
#include "kith/run.h"

#include "bags/tables.h"
#include "run/guarded.h"
#include "support/data.h"
#include "support/temp_dir.h"

namespace kith::api {
namespace {

void cut_off(const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".kith") std::filesystem::resize_file(entry.path(), 100);
  }
}

template <class Outcome>
void expect_cut_off(const Outcome& outcome) {
  ASSERT_FALSE(outcome.is_ok());
  EXPECT_NE(outcome.error().message.find("was cut off after 100 of "), std::string::npos)
      << outcome.error().message;
}

std::string make_run(const test::TempDir& dir, EngineChoice engine) {
  ClusterOptions options;
  options.inputs = {test::test_data("crawl/sample.warc.gz")};
  options.output = dir / "run";
  options.engine = engine;
  options.threads = 2;
  EXPECT_TRUE(cluster_crawl(options).is_ok());
  return options.output;
}

TEST(CutOff, EveryQuestionToARunIsAnError) {
  const test::TempDir dir;
  const std::string folder = make_run(dir, EngineChoice::lsh);
  const auto run = Run::open(folder);
  ASSERT_TRUE(run.is_ok());
  const std::string url = run->url(0).value();
  cut_off(folder);
  expect_cut_off(run->url(0));
  expect_cut_off(run->title(0));
  expect_cut_off(run->fetched(0));
  expect_cut_off(run->language(0));
  expect_cut_off(run->inlinks(0));
  expect_cut_off(run->find(url));
  expect_cut_off(run->find_any(url));
  expect_cut_off(run->find("https://not.there.example/"));
  expect_cut_off(run->with_prefix("h", 10));
  expect_cut_off(run->host(0));
  expect_cut_off(run->cluster(0));
  expect_cut_off(run->cluster_label(0));
  expect_cut_off(run->cluster_size(0));
  expect_cut_off(run->cluster_of(0));
  expect_cut_off(run->related(0, 10));
  expect_cut_off(run->related_by_scan(0, 10, 2));
  expect_cut_off(run->related_on_other_sites(0, 10));
  expect_cut_off(run->related_by_site(0, 10, 1));
  expect_cut_off(run->shared_words(0, 1, 10));
  expect_cut_off(run->degree(0));
  expect_cut_off(run->bag(0));
  expect_cut_off(run->term(0));
  expect_cut_off(run->columns());
  PairOptions pairs;
  pairs.threads = 2;
  pairs.scratch = dir / "pairs";
  std::filesystem::create_directory(pairs.scratch);
  expect_cut_off(run->for_each_pair(pairs, [](const SimilarPair&) { return true; }));
  EXPECT_FALSE(run->verify().is_ok());
  EXPECT_FALSE(Run::open(folder).is_ok());
}

TEST(CutOff, EveryQuestionToARunOfCopiesIsAnError) {
  const test::TempDir dir;
  DedupOptions options;
  options.inputs = {test::test_data("crawl/sample.warc.gz")};
  options.output = dir / "run";
  options.threads = 2;
  options.similarity = 0.3;
  options.boilerplate = Boilerplate::keep;
  options.distinct_titles = false;
  ASSERT_TRUE(dedup(options).is_ok());
  const auto run = DedupRun::open(options.output);
  ASSERT_TRUE(run.is_ok());
  ASSERT_GT(run->pairs(), 0u);
  ASSERT_GT(run->groups(), 0u);
  cut_off(options.output);
  expect_cut_off(run->name(0));
  expect_cut_off(run->document(0));
  expect_cut_off(run->find("https://not.there.example/"));
  expect_cut_off(run->pair(0));
  expect_cut_off(run->pairs_of_group(0, 0, 10));
  expect_cut_off(run->equal_to(0));
  expect_cut_off(run->earlier(0));
  expect_cut_off(run->overlap(0, 1));
  EXPECT_FALSE(run->text(0, std::chrono::seconds(1)).is_ok());
}

// What stages read they read by these, deep in their loops.
TEST(CutOff, BagsThatAStageReadsAreAnError) {
  const test::TempDir dir;
  const std::string folder = make_run(dir, EngineChoice::exact);
  const auto table = bags::BagTable::open(storage::posix_file_system(), folder + "/bags.kith");
  ASSERT_TRUE(table.is_ok());
  const sketch::BagCollection bags = table->bags();
  const auto read_all = [&]() -> Status {
    std::vector<sketch::BagEntry> buffer;
    for (size_t id = 0; id < bags.size(); ++id) static_cast<void>(bags.read(id, buffer));
    return Status::ok();
  };
  ThreadPool pool(2);
  EXPECT_TRUE(run::guarded(read_all).is_ok());
  // The offsets are mapped, and stay: they stand in front of what is lost.
  const auto size = std::filesystem::file_size(folder + "/bags.kith");
  std::filesystem::resize_file(folder + "/bags.kith", size / 2);
  for (const Status& status :
       {run::guarded(read_all), run::guarded([&] { return table->check_entries(1, pool); })}) {
    ASSERT_FALSE(status.is_ok());
    EXPECT_NE(status.error().message.find("was cut off after"), std::string::npos);
  }
}

}  // namespace
}  // namespace kith::api
