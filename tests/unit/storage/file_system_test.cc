#include "storage/file_system.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
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

TEST(Share, AFullDiskLeavesNothing) {
  const test::TempDir dir;
  test::write_file(dir / "a", std::string(1000, 'x'));
  test::FullDisk fs(999);
  EXPECT_FALSE(fs.share(dir / "a", dir / "b").is_ok());
  EXPECT_FALSE(fs.exists(dir / "b") || fs.exists(dir / "b.tmp"));
}

TEST(Truncate, LeavesTheBeginningToWhichMoreIsAppended) {
  const test::TempDir dir;
  test::MemoryFileSystem memory;
  for (FileSystem* fs : {&posix_file_system(), static_cast<FileSystem*>(&memory)}) {
    const std::string path = dir / "file";
    ASSERT_TRUE(write_file(*fs, path, "whole torn").is_ok());
    ASSERT_TRUE(fs->truncate(path, 6).is_ok());
    {
      const auto file = fs->reopen(path);
      ASSERT_TRUE(file.is_ok());
      ASSERT_TRUE((*file)->append(as_bytes(std::string_view("again"))).is_ok());
    }
    EXPECT_EQ(*read_file(*fs, path), "whole again");
    EXPECT_FALSE(fs->truncate(dir / "missing", 0).is_ok());
  }
}

TEST(WritableFile, KeepsEveryByteThatIsOnItsWay) {
  const test::TempDir dir;
  const auto file = posix_file_system().create(dir / "a");
  ASSERT_TRUE(file);
  std::string expected;
  for (int i = 0; i < 5; ++i) {
    const std::string part(100'000 + static_cast<size_t>(i), static_cast<char>('a' + i));
    ASSERT_TRUE((*file)->append(as_bytes(part)).is_ok());
    (*file)->start_sync();
    expected += part;
  }
  ASSERT_TRUE((*file)->sync().is_ok());
  ASSERT_TRUE((*file)->close().is_ok());
  EXPECT_EQ(test::read_file(dir / "a"), expected);
}

TEST(Lock, HoldsAFolderUntilItIsLetGo) {
  const test::TempDir dir;
  FileSystem& fs = posix_file_system();
  {
    const auto lock = fs.lock(dir / "");
    ASSERT_TRUE(lock.is_ok());
    EXPECT_NE(*lock, nullptr);
    const auto second = fs.lock(dir / "");
    ASSERT_FALSE(second.is_ok());
    EXPECT_EQ(second.error().kind, ErrorKind::usage);
    EXPECT_NE(second.error().message.find(dir / ""), std::string::npos);
  }
  EXPECT_TRUE(fs.lock(dir / "").is_ok());
  EXPECT_EQ(fs.lock(dir / "none").error().kind, ErrorKind::not_found);
}

// Some network file systems can neither sync a folder nor lock one.
TEST(SystemAnswers, ThatSomethingIsUnknownAreNoErrors) {
  for (const int code : {EINVAL, ENOTSUP}) EXPECT_FALSE(is_sync_error(code));
  for (const int code : {EIO, ENOSPC}) EXPECT_TRUE(is_sync_error(code));
  for (const int code : {ENOLCK, ENOTSUP}) EXPECT_FALSE(is_lock_error(code));
  for (const int code : {EIO, EINTR}) EXPECT_TRUE(is_lock_error(code));
}

TEST(WriteFile, AFullDiskLeavesWhatWasThere) {
  const test::TempDir dir;
  test::write_file(dir / "a", "before");
  test::FullDisk fs(3);
  EXPECT_FALSE(write_file(fs, dir / "a", "after").is_ok());
  EXPECT_EQ(test::read_file(dir / "a"), "before");
  EXPECT_FALSE(fs.exists(dir / "a.tmp"));
}

TEST(MakeDirectories, MakesThemAllAndMindsNoneThatIsThere) {
  const test::TempDir dir;
  FileSystem& fs = posix_file_system();
  ASSERT_TRUE(fs.make_directories(dir / "a/b/c/").is_ok());
  ASSERT_TRUE(fs.make_directories(dir / "a/b").is_ok());
  EXPECT_TRUE(std::filesystem::is_directory(dir / "a/b/c"));
  test::write_file(dir / "file", "");
  EXPECT_FALSE(fs.make_directories(dir / "file/d").is_ok());
}

// Bytes of mapped files that are resident, as the kernel counts them.
uint64_t resident_file_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssFile:")) return std::stoull(line.substr(8)) * 1024;
  }
  return 0;
}

TEST(Map, ReleasedBytesLeaveTheResidentSetAndComeBack) {
  constexpr size_t size = 64 << 20;
  const test::TempDir dir;
  test::write_file(dir / "a", std::string(size, 'x'));
  const auto file = posix_file_system().map(dir / "a");
  ASSERT_TRUE(file.is_ok());
  const auto count = [&] { return std::ranges::count((*file)->bytes(), std::byte{'x'}); };
  const uint64_t before = resident_file_bytes();
  ASSERT_EQ(count(), size);
  EXPECT_GE(resident_file_bytes(), before + size / 2);
  (*file)->release((*file)->bytes().subspan(1));
  EXPECT_LT(resident_file_bytes(), before + size / 2);
  EXPECT_EQ(count(), size);
}

// A value of every fifth MiB is read: what is touched brings in others around it, what is copied
// does not.
TEST(Map, CopiedBytesLeaveTheResidentSetAsItIs) {
  const test::TempDir dir;
  constexpr size_t size = size_t{64} << 20;
  std::string content(size, '.');
  for (size_t i = 0; i < size; i += 1 << 12) content[i] = static_cast<char>('a' + i / 4096 % 26);
  test::write_file(dir / "a", content);
  const auto file = posix_file_system().map(dir / "a").value();
  const uint64_t before = resident_file_bytes();
  for (size_t i = 1; i < size; i += (5 << 20) + 4095) {
    std::string copied(5, '?');
    file->copy(file->bytes().subspan(i, 5), std::as_writable_bytes(std::span(copied)).data());
    ASSERT_EQ(copied, content.substr(i, 5)) << i;
  }
  EXPECT_LT(resident_file_bytes(), before + (1 << 20));
  // The last byte, and nothing.
  std::byte last{};
  file->copy(file->bytes().last(1), &last);
  EXPECT_EQ(last, std::byte{'.'});
  file->copy(file->bytes().last(0), &last);
  EXPECT_EQ(last, std::byte{'.'});
}

// Another process cuts a file off that is mapped: touching it would end the test.
TEST(Map, WhatWasCutOffIsAnError) {
  const test::TempDir dir;
  const std::string path = dir / "a";
  test::write_file(path, std::string(100'000, 'x'));
  const auto file = posix_file_system().map(path).value();
  EXPECT_TRUE(file->check_size().is_ok());
  std::filesystem::resize_file(path, 50'000);
  const Status status = file->check_size();
  ASSERT_FALSE(status.is_ok());
  EXPECT_EQ(status.error().kind, ErrorKind::corrupt);
  EXPECT_NE(status.error().message.find(path + ": was cut off after 50000 of 100000 bytes"),
            std::string::npos)
      << status.error().message;
  std::vector<std::byte> buffer(60'000);
  EXPECT_TRUE(file->read(file->bytes().first(50'000), buffer.data()).is_ok());
  for (const Bytes lost : {file->bytes().first(60'000), file->bytes().last(60'000),
                           file->bytes().last(1), file->bytes().subspan(50'000, 1)}) {
    EXPECT_FALSE(file->read(lost, buffer.data()).is_ok());
    EXPECT_THROW(file->copy(lost, buffer.data()), Unreadable);
  }
  std::filesystem::resize_file(path, 0);
  EXPECT_FALSE(file->read(file->bytes().first(1), buffer.data()).is_ok());
}

}  // namespace
}  // namespace kith::storage
