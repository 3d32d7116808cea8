// kith dedup --write, killed and given again.
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "jobs/dedup/job.h"
#include "support/crashing_file_system.h"
#include "support/faulty_file_system.h"
#include "support/temp_dir.h"
#include "unit/jobs/dedup/texts.h"

namespace kith::jobs {
namespace {

namespace fs_path = std::filesystem;
using test::Files;

Files copies_of(const std::string& place) {
  Files files;
  if (!fs_path::is_directory(place)) return {{"", test::read_file(place)}};
  for (const auto& entry : fs_path::recursive_directory_iterator(place)) {
    const std::string name = fs_path::relative(entry.path(), place).string();
    files[name] = entry.is_regular_file() ? test::read_file(entry.path().string()) : "(folder)";
  }
  return files;
}

class DedupCopyTest : public testing::TestWithParam<bool> {
 protected:
  DedupCopyTest() {
    fs_path::create_directories(dir_ / "in/more");
    test::write_file(dir_ / "in/a.jsonl", test::lines_of(test::make_texts(30, 3)));
    test::write_file(dir_ / "in/more/b.jsonl", test::lines_of(test::make_texts(30, 4), 30));
    request_.inputs = {is_folder() ? dir_ / "in" : dir_ / "in/a.jsonl"};
    request_.output = dir_ / "run";
    request_.write = dir_ / "out";
    request_.threads = 1;
  }
  bool is_folder() const { return GetParam(); }

  void start_anew() {
    fs_path::remove_all(request_.output);
    fs_path::remove_all(request_.write);
  }
  Result<DedupReport> run() { return dedup(storage::posix_file_system(), request_); }

  test::TempDir dir_{test::Medium::memory};
  DedupOptions request_;
};

TEST_P(DedupCopyTest, GoesOnWhereItWasKilledAndIsNotMadeTwice) {
  ASSERT_TRUE(run().is_ok());
  const Files files = test::files_of(request_.output);
  const Files copies = copies_of(request_.write);
  size_t kills = 0;
  for (uint64_t operations = 1; operations < 1000; ++operations) {
    SCOPED_TRACE(operations);
    start_anew();
    test::CrashingFileSystem crashing(operations, test::Loss::unsynced);
    if (dedup(crashing, request_).is_ok()) break;
    ++kills;
    for (const char* const time : {"after the kill", "once more"}) {
      const auto report = run();
      ASSERT_TRUE(report.is_ok()) << time << ": " << report.error().message;
      EXPECT_TRUE(test::files_of(request_.output) == files) << time;
      EXPECT_TRUE(copies_of(request_.write) == copies) << time;
    }
  }
  EXPECT_GT(kills, 40u);
}

TEST_P(DedupCopyTest, LeavesWhatSomebodyElseHasPutThere) {
  ASSERT_TRUE(run().is_ok());
  const std::string copy = is_folder() ? request_.write + "/more/b.jsonl" : request_.write;
  const std::string written = test::read_file(copy);
  test::write_file(copy, "mine");
  const auto report = run();
  ASSERT_FALSE(report.is_ok());
  EXPECT_EQ(report.error().kind, ErrorKind::usage);
  EXPECT_EQ(report.error().message,
            copy + " is not what this run has written there: name a new place for the copy");
  EXPECT_EQ(test::read_file(copy), "mine");
  if (!is_folder()) return;
  test::write_file(copy, written);
  EXPECT_TRUE(run().is_ok());
  test::write_file(request_.write + "/notes.txt", "mine");
  EXPECT_FALSE(run().is_ok());
  EXPECT_EQ(test::read_file(request_.write + "/notes.txt"), "mine");
}

TEST_P(DedupCopyTest, IsMadeAgainWhereItIsGone) {
  ASSERT_TRUE(run().is_ok());
  const Files copies = copies_of(request_.write);
  if (is_folder()) {
    fs_path::remove(request_.write + "/more/b.jsonl");
  } else {
    fs_path::remove(request_.write);
  }
  ASSERT_TRUE(run().is_ok());
  EXPECT_TRUE(copies_of(request_.write) == copies);
  request_.write = dir_ / "another";
  ASSERT_TRUE(run().is_ok());
  EXPECT_TRUE(copies_of(request_.write) == copies);
  request_.write = dir_ / "out";
  EXPECT_TRUE(run().is_ok());
}

INSTANTIATE_TEST_SUITE_P(FileAndFolder, DedupCopyTest, testing::Bool());

TEST(DedupAbandon, LeavesWhatSomebodyElseHasPutIntoTheFolder) {
  const test::TempDir dir;
  test::write_file(dir / "in.jsonl", test::lines_of(test::make_texts(200, 3)));
  DedupOptions request;
  request.inputs = {dir / "in.jsonl"};
  request.output = dir / "run";
  test::FullDisk disk(2000);
  const auto leave_note = [&](const Progress&) { std::ofstream(dir / "run/notes.txt") << "mine"; };
  ASSERT_FALSE(dedup(disk, request, leave_note).is_ok());
  EXPECT_EQ(test::read_file(dir / "run/notes.txt"), "mine");
  EXPECT_EQ(std::distance(fs_path::directory_iterator(dir / "run"), {}), 1);
}

TEST(DedupLock, SaysWhereAFileSystemHasNone) {
  class WithoutLocks : public test::ForwardingFileSystem {
    Result<std::unique_ptr<storage::FolderLock>> lock(const std::string&) override {
      return std::unique_ptr<storage::FolderLock>();
    }
  };
  const test::TempDir dir;
  test::write_file(dir / "in.jsonl", test::lines_of(test::make_texts(9, 3)));
  DedupOptions request;
  request.inputs = {dir / "in.jsonl"};
  request.output = dir / "run";
  WithoutLocks fs;
  std::string notes;
  ASSERT_TRUE(
      dedup(fs, request, [&](const Progress& progress) { notes += progress.note; }).is_ok());
  EXPECT_EQ(notes, request.output +
                       ": its file system has no locks: run no other kith command that "
                       "writes there");
}

}  // namespace
}  // namespace kith::jobs
