// Files that are there whole or not at all: after a power failure at any moment, and when any
// operation fails.
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "storage/file_system.h"
#include "storage/section_file.h"
#include "support/crashing_file_system.h"
#include "support/failing_file_system.h"
#include "support/temp_dir.h"

namespace kith::storage {
namespace {

constexpr FileKind kind_of_test{"test", 3};

// Makes the file `path` with `text` in it.
using Make = std::function<Status(FileSystem& fs, const std::string& path, std::string_view text)>;

Status make_text(FileSystem& fs, const std::string& path, std::string_view text) {
  return write_file(fs, path, text);
}

Status make_sections(FileSystem& fs, const std::string& path, std::string_view text) {
  KITH_ASSIGN(SectionWriter writer, SectionWriter::create(fs, path, kind_of_test));
  KITH_TRY(writer.begin("text"));
  KITH_TRY(writer.append(text));
  return writer.finish();
}

class WholeFiles : public testing::TestWithParam<Make> {};

TEST_P(WholeFiles, AfterAPowerFailureTheOldOrTheNewOneIsThere) {
  const test::TempDir dir;
  const std::string path = dir / "file";
  ASSERT_TRUE(GetParam()(posix_file_system(), path, "new").is_ok());
  const std::string whole = test::read_file(path);
  bool is_done = false;
  for (uint64_t operations = 0; !is_done; ++operations) {
    test::write_file(path, "old");
    test::CrashingFileSystem fs(operations, test::Loss::unsynced);
    is_done = GetParam()(fs, path, "new").is_ok();
    // The machine loses power after the file was made, too.
    static_cast<void>(fs.make_directories(dir / "more"));
    while (!fs.crashed()) static_cast<void>(fs.make_directories(dir / "more"));
    EXPECT_EQ(test::read_file(path), is_done ? whole : "old") << "after operation " << operations;
    ASSERT_LT(operations, 100u);
  }
}

TEST_P(WholeFiles, AnOperationThatFailsIsAnError) {
  const test::TempDir dir;
  const std::string path = dir / "file";
  for (uint64_t n = 0;; ++n) {
    test::FailingFileSystem fs(n);
    const Status made = GetParam()(fs, path, "new");
    if (!fs.has_failed()) {
      EXPECT_TRUE(made.is_ok());
      EXPECT_GT(n, 3u);
      break;
    }
    ASSERT_FALSE(made.is_ok()) << "operation " << n;
    EXPECT_NE(made.error().message.find(test::FailingFileSystem::message), std::string::npos);
    EXPECT_FALSE(posix_file_system().exists(path)) << "operation " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Writers, WholeFiles, testing::Values(make_text, make_sections),
                         [](const auto& of) { return of.index == 0 ? "Text" : "Sections"; });

TEST(Folders, ARemovalThatFailsIsAnError) {
  const test::TempDir dir;
  FileSystem& fs = posix_file_system();
  test::write_file(dir / "file", "content");
  EXPECT_FALSE(fs.remove_folder(dir / "file").is_ok());
  EXPECT_FALSE(fs.remove_folder(dir / "missing").is_ok());
  ASSERT_TRUE(fs.make_directories(dir / "folder").is_ok());
  EXPECT_TRUE(fs.remove_folder(dir / "folder").is_ok());
}

}  // namespace
}  // namespace kith::storage
