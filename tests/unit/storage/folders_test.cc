#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "storage/file_system.h"
#include "support/temp_dir.h"

namespace kith::storage {
namespace {

TEST(Folders, HaveTheNamesOfFilesFoldersAndLinksInOrder) {
  const test::TempDir dir;
  test::write_file(dir / "b", "");
  test::write_file(dir / ".a", "");
  std::filesystem::create_directory(dir / "c");
  std::filesystem::create_symlink("nowhere", dir / "B");
  EXPECT_EQ(*names_in(dir.path()), (std::vector<std::string>{".a", "B", "b", "c"}));
  EXPECT_TRUE(names_in(dir / "c")->empty());
}

TEST(Folders, ThatAreNoneAreErrorsThatNameThem) {
  const test::TempDir dir;
  test::write_file(dir / "file", "");
  for (const std::string& path : {dir / "missing", dir / "file"}) {
    const auto names = names_in(path);
    ASSERT_FALSE(names.is_ok());
    EXPECT_EQ(names.error().kind, ErrorKind::not_found);
    EXPECT_NE(names.error().message.find(path), std::string::npos);
  }
}

TEST(RemoveTree, RemovesAFileALinkOrAllOfAFolder) {
  const test::TempDir dir;
  std::filesystem::create_directories(dir / "tree/a/b");
  test::write_file(dir / "tree/a/b/file", "x");
  test::write_file(dir / "kept", "x");
  std::filesystem::create_directory(dir / "linked");
  test::write_file(dir / "linked/kept", "x");
  std::filesystem::create_directory_symlink(dir / "linked", dir / "tree/link");
  std::filesystem::create_directory_symlink(dir / "linked", dir / "link");
  EXPECT_TRUE(remove_tree(dir / "tree").is_ok());
  EXPECT_TRUE(remove_tree(dir / "link").is_ok());
  EXPECT_EQ(*names_in(dir.path()), (std::vector<std::string>{"kept", "linked"}));
  EXPECT_EQ(*names_in(dir / "linked"), std::vector<std::string>{"kept"});
  EXPECT_TRUE(remove_tree(dir / "kept").is_ok());
  EXPECT_EQ(*names_in(dir.path()), std::vector<std::string>{"linked"});
}

TEST(RemoveTree, OfNothingIsNoError) {
  const test::TempDir dir;
  EXPECT_TRUE(remove_tree(dir / "missing").is_ok());
}

TEST(RemoveTree, SaysWhatCannotBeRemoved) {
  const test::TempDir dir;
  test::write_file(dir / "file", "x");
  // A file has nothing below it, and the kernel's own files stay.
  for (const std::string& path : {dir / "file/below", std::string("/proc/self/comm")}) {
    const Status status = remove_tree(path);
    ASSERT_FALSE(status.is_ok());
    EXPECT_NE(status.error().message.find("cannot remove " + path), std::string::npos);
  }
}

}  // namespace
}  // namespace kith::storage
