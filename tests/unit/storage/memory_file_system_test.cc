#include "storage/memory_file_system.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace kith::storage {
namespace {

TEST(MemoryFile, GrowsAndStartsWithAPage) {
  MemoryFileSystem fs;
  const auto file = fs.create("a");
  std::string expected;
  for (int i = 0; i < 3000; ++i) {
    const std::string more(static_cast<size_t>(i), static_cast<char>('a' + i % 26));
    ASSERT_TRUE((*file)->append(as_bytes(more)).is_ok());
    expected += more;
  }
  EXPECT_EQ(*read_file(fs, "a"), expected);
  const auto mapped = fs.map("a");
  EXPECT_EQ(as_text((*mapped)->bytes()), expected);
  EXPECT_EQ(reinterpret_cast<uintptr_t>((*mapped)->bytes().data()) % 4096, 0u);
}

TEST(MemoryFile, WhatIsMappedStaysWhenItGrowsOrIsReplaced) {
  MemoryFileSystem fs;
  fs.put("a", "first");
  const auto mapped = fs.map("a");
  const auto file = fs.reopen("a");
  ASSERT_TRUE((*file)->append(as_bytes(std::string(5000, 'x'))).is_ok());
  EXPECT_EQ(as_text((*mapped)->bytes()), "first");
  EXPECT_EQ(read_file(fs, "a")->size(), 5005u);
  fs.put("a", "second");
  EXPECT_EQ(as_text((*mapped)->bytes()), "first");
  EXPECT_EQ(*read_file(fs, "a"), "second");
}

TEST(MemoryFile, MayBeEmpty) {
  MemoryFileSystem fs;
  fs.put("a", "");
  EXPECT_TRUE((*fs.map("a"))->bytes().empty());
}

TEST(MemoryFile, HasNamesThatChangeAndGo) {
  MemoryFileSystem fs;
  for (const char* path : {"f/b", "f/a", "f/in/a", "f/in/b", "f.x", "g/a"}) fs.put(path, path);
  EXPECT_EQ(*fs.list("f"), (std::vector<std::string>{"a", "b", "in"}));
  EXPECT_TRUE(fs.list("none")->empty());
  ASSERT_TRUE(fs.rename("f/a", "f/b").is_ok());
  EXPECT_EQ(*read_file(fs, "f/b"), "f/a");
  EXPECT_FALSE(fs.exists("f/a"));
  ASSERT_TRUE(fs.rename("f/b", "f/b").is_ok());
  EXPECT_TRUE(fs.exists("f/b"));
  EXPECT_EQ(fs.rename("f/a", "f/c").error().kind, ErrorKind::not_found);
  ASSERT_TRUE(fs.remove("g/a").is_ok());
  ASSERT_TRUE(fs.remove("g/a").is_ok());
  EXPECT_FALSE(fs.exists("g/a"));
  ASSERT_TRUE(fs.remove_tree("f").is_ok());
  EXPECT_TRUE(fs.list("f")->empty());
  EXPECT_TRUE(fs.exists("f.x"));
  // A tree may be a file.
  ASSERT_TRUE(fs.remove_tree("f.x").is_ok());
  EXPECT_FALSE(fs.exists("f.x"));
  for (const auto& failed : {fs.open("f/b").status(), fs.map("f/b").status(),
                             fs.reopen("f/b").status(), fs.truncate("f/b", 0)}) {
    ASSERT_FALSE(failed.is_ok());
    EXPECT_EQ(failed.error().kind, ErrorKind::not_found);
  }
}

#if defined(__SANITIZE_ADDRESS__)
TEST(MemoryFileDeathTest, AReadBeyondItsEndIsReported) {
  MemoryFileSystem fs;
  fs.put("a", "12345678");
  const auto mapped = fs.map("a");
  const volatile std::byte* const bytes = (*mapped)->bytes().data();
  EXPECT_DEATH(static_cast<void>(bytes[8]), "AddressSanitizer");
}
#endif

}  // namespace
}  // namespace kith::storage
