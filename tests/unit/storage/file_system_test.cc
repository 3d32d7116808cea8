#include "storage/file_system.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "support/faulty_file_system.h"
#include "support/memory_file_system.h"
#include "support/temp_dir.h"

namespace kith::storage {
namespace {

TEST(Share, GivesAFileASecondName) {
  const test::TempDir dir;
  FileSystem& fs = posix_file_system();
  test::write_file(dir / "a", "content");
  test::write_file(dir / "b", "what stood there before");
  ASSERT_TRUE(fs.share(dir / "a", dir / "b").is_ok());
  EXPECT_TRUE(std::filesystem::equivalent(dir / "a", dir / "b"));
  ASSERT_TRUE(fs.remove(dir / "a").is_ok());
  EXPECT_EQ(test::read_file(dir / "b"), "content");
}

TEST(Share, AMissingFileIsAnError) {
  const test::TempDir dir;
  const Status status = posix_file_system().share(dir / "none", dir / "b");
  ASSERT_FALSE(status.is_ok());
  EXPECT_EQ(status.error().kind, ErrorKind::not_found);
  EXPECT_NE(status.error().message.find("none"), std::string::npos);
}

TEST(Share, CopiesWhereThereIsNoSecondName) {
  test::MemoryFileSystem fs;
  for (const size_t size : {size_t{0}, size_t{1}, size_t{20} << 20}) {
    fs.put("a", std::string(size, 'x'));
    ASSERT_TRUE(fs.share("a", "b").is_ok());
    EXPECT_EQ(*read_file(fs, "b"), *read_file(fs, "a"));
    EXPECT_FALSE(fs.exists("b.tmp"));
  }
}

TEST(Share, AFullDiskLeavesNothingUnderTheFinalName) {
  const test::TempDir dir;
  test::write_file(dir / "a", std::string(1000, 'x'));
  test::FullDisk fs(999);
  EXPECT_FALSE(fs.share(dir / "a", dir / "b").is_ok());
  EXPECT_FALSE(fs.exists(dir / "b"));
}

}  // namespace
}  // namespace kith::storage
