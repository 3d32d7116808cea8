// Where copies of crawl files go, and what stands there then.
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "crawl_testing.h"
#include "record_copying.h"
#include "support/temp_dir.h"

namespace kith::crawl::test {
namespace {

using kith::test::read_file;
using kith::test::TempDir;
using kith::test::write_file;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names_of(const CrawlOptions& options, const std::string& out) {
  std::vector<std::string> names;
  const Result<CopyPlan> plan = plan_copy(options, out);
  if (!plan) return {plan.error().message};
  for (const PlannedCopy& file : plan->files) names.push_back(file.name);
  return names;
}

class RecordCopyNames : public testing::Test {
 protected:
  RecordCopyNames() {
    for (const char* folder : {"x/1", "x/2", "y/1", "html/sub"}) {
      std::filesystem::create_directories(dir_ / folder);
    }
    const std::string page = warc_page("http://a/1", "<p>1");
    for (const char* name : {"x/1/a.warc", "x/2/b.warc", "y/1/a.warc", "c.warc"}) {
      write_file(dir_ / name, page);
    }
    write_file(dir_ / "html/a.html", "<p>a");
    write_file(dir_ / "html/sub/b.html", "<p>b");
  }
  TempDir dir_;
};

TEST_F(RecordCopyNames, MirrorTheInputs) {
  EXPECT_THAT(names_of({.inputs = {dir_ / "x", dir_ / "c.warc"}}, dir_ / "out"),
              ElementsAre("1/a.warc", "2/b.warc", "c.warc"));
  EXPECT_THAT(names_of({.inputs = {dir_ / "c.warc"}}, dir_ / "out/"), ElementsAre("c.warc"));
  EXPECT_THAT(names_of({.inputs = {dir_ / "c.warc"}}, dir_ / "out"), ElementsAre(""));
}

TEST_F(RecordCopyNames, OfTheSameNameKeepTheirFolders) {
  EXPECT_THAT(names_of({.inputs = {dir_ / "x", dir_ / "y"}}, dir_ / "out"),
              ElementsAre("x/1/a.warc", "x/2/b.warc", "y/1/a.warc"));
  EXPECT_THAT(names_of({.inputs = {dir_ / "x/1/a.warc", dir_ / "y/1/a.warc"}}, dir_ / "out"),
              ElementsAre("x/1/a.warc", "y/1/a.warc"));
}

TEST_F(RecordCopyNames, WhatCannotBeWrittenIsRefused) {
  const auto refusal = [&](const CrawlOptions& options, const std::string& out) {
    return names_of(options, out).front();
  };
  EXPECT_THAT(refusal({.inputs = {"-"}}, dir_ / "out"), HasSubstr("only once"));
  EXPECT_THAT(refusal({.inputs = {dir_ / "c.warc", dir_ / "./c.warc"}}, dir_ / "out"),
              HasSubstr("named twice"));
  EXPECT_THAT(refusal({.inputs = {dir_ / "x"}}, dir_ / "y"), HasSubstr("not empty"));
  EXPECT_THAT(refusal({.inputs = {dir_ / "c.warc"}}, dir_ / "c.warc"), HasSubstr("exists"));
  EXPECT_THAT(refusal({.inputs = {dir_ / "x"}}, dir_ / "x/out"), HasSubstr("is an input"));
  EXPECT_THAT(refusal({.inputs = {dir_ / "x"}}, ""), HasSubstr("no place"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out"));
}

TEST_F(RecordCopyNames, FoldersAreWrittenWholeForAnyThreads) {
  for (const unsigned threads : {1u, 3u}) {
    const std::string out = dir_ / fmt::format("out{}", threads);
    // What a run that was ended has left.
    std::filesystem::create_directories(out + "/.kith-unfinished/1");
    write_file(out + "/.kith-unfinished/1/old.warc", "old");
    const CopyReport report = copy({.inputs = {dir_ / "x", dir_ / "y"}}, out, {{1, {0}}}, threads);
    EXPECT_EQ(report.files, 3u);
    EXPECT_EQ(report.removed, 1u);
    EXPECT_EQ(read_file(out + "/x/1/a.warc"), read_file(dir_ / "x/1/a.warc"));
    EXPECT_EQ(read_file(out + "/x/2/b.warc"), "");
    EXPECT_FALSE(std::filesystem::exists(out + "/.kith-unfinished"));
    EXPECT_FALSE(std::filesystem::exists(out + "/x/1/a.warc.tmp"));
  }
}

TEST_F(RecordCopyNames, FilesOfHtmlAreLeftOutWhole) {
  const CrawlOptions options = {.inputs = {dir_ / "html"}, .base_url = "https://a.example"};
  const CopyReport report = copy(options, dir_ / "out", {{1, {0}}});
  EXPECT_EQ(report.files, 1u);
  EXPECT_EQ(report.removed, 1u);
  EXPECT_EQ(read_file(dir_ / "out/a.html"), "<p>a");
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out/sub"));
}

}  // namespace
}  // namespace kith::crawl::test
