// What is said where the operating system refuses a call in the middle of a file.
#include <cerrno>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "storage/file_system.h"
#include "storage/string_table.h"
#include "support/forwarding_file_system.h"
#include "support/temp_dir.h"
#include "unit/storage/failing_call.h"

namespace kith::storage {
namespace {

class SystemErrors : public testing::Test {
 protected:
  SystemErrors() {
    test::write_file(file_, "content");
    std::filesystem::create_directories(tree_ + "/below");
  }

  static void expect_error(const Status& status, ErrorKind kind, const std::string& begin) {
    ASSERT_FALSE(status.is_ok()) << begin;
    EXPECT_EQ(status.error().kind, kind);
    EXPECT_TRUE(status.error().message.starts_with(begin)) << status.error().message;
  }

  test::TempDir dir_{test::Medium::memory};
  FileSystem& fs_ = posix_file_system();
  const std::string file_ = dir_ / "file";
  const std::string tree_ = dir_ / "tree";
};

TEST_F(SystemErrors, OfFullDisksComeWithAdvice) {
  for (const int code : {ENOSPC, EDQUOT}) {
    const FailingCall fails(Call::write, code);
    const Status status = write_file(fs_, dir_ / "new", "bytes");
    expect_error(status, ErrorKind::io, "cannot write " + dir_ / "new.tmp");
    EXPECT_NE(status.error().message.find("; free some space"), std::string::npos);
    EXPECT_FALSE(fs_.exists(dir_ / "new") || fs_.exists(dir_ / "new.tmp"));
  }
  const FailingCall fails(Call::write, EIO);
  EXPECT_EQ(write_file(fs_, dir_ / "new", "bytes").error().message.find(';'), std::string::npos);
}

TEST_F(SystemErrors, OfFilesThatAreWrittenAreSaid) {
  const std::string temporary = file_ + ".tmp";
  for (const auto& [call, what] :
       {std::pair{Call::fdatasync, "cannot sync "}, {Call::close, "cannot close "}}) {
    const FailingCall fails(call, EIO);
    expect_error(write_file(fs_, file_, "bytes"), ErrorKind::io, what + temporary);
    EXPECT_TRUE(fails.has_failed());
  }
  // What stood there stays.
  EXPECT_EQ(test::read_file(file_), "content");
}

TEST_F(SystemErrors, OfFilesThatAreReadAreSaid) {
  {
    const FailingCall fails(Call::pread, EIO);
    expect_error(read_file(fs_, file_).status(), ErrorKind::io, "cannot read " + file_);
  }
  {
    const FailingCall fails(Call::fstat, EIO);
    expect_error(fs_.open(file_).status(), ErrorKind::io, "cannot look at " + file_);
  }
  {
    const FailingCall fails(Call::mmap, ENODEV);
    expect_error(fs_.map(file_).status(), ErrorKind::io, "cannot map " + file_);
  }
  const auto mapped = fs_.map(file_);
  ASSERT_TRUE(mapped.is_ok());
  {
    const FailingCall fails(Call::fstat, EIO);
    expect_error((*mapped)->check_size(), ErrorKind::io, "cannot look at " + file_);
  }
  std::byte byte{};
  const FailingCall fails(Call::pread, EIO);
  expect_error((*mapped)->read((*mapped)->bytes().first(1), &byte), ErrorKind::io,
               "cannot read " + file_);
}

TEST_F(SystemErrors, ThatASignalCameAreNone) {
  {
    const FailingCall fails(Call::write, EINTR);
    EXPECT_TRUE(write_file(fs_, file_, "again").is_ok());
    EXPECT_TRUE(fails.has_failed());
  }
  const FailingCall fails(Call::pread, EINTR);
  EXPECT_EQ(*read_file(fs_, file_), "again");
  EXPECT_TRUE(fails.has_failed());
}

TEST_F(SystemErrors, OfFoldersAreSaid) {
  {
    const FailingCall fails(Call::readdir, EIO);
    expect_error(names_in(tree_).status(), ErrorKind::io, "cannot list " + tree_);
  }
  {
    const FailingCall fails(Call::opendir, EACCES);
    expect_error(remove_tree(tree_), ErrorKind::io, "cannot list " + tree_);
  }
  const FailingCall fails(Call::rmdir, EBUSY);
  expect_error(remove_tree(tree_), ErrorKind::io, "cannot remove " + tree_ + "/below");
  EXPECT_TRUE(fs_.exists(tree_));
}

// Another process removes the same folder.
TEST_F(SystemErrors, ThatAFolderHasGoneAreNone) {
  {
    const FailingCall fails(Call::opendir, ENOENT);
    EXPECT_TRUE(remove_tree(tree_).is_ok());
    EXPECT_TRUE(fails.has_failed());
  }
  const FailingCall fails(Call::rmdir, ENOENT);
  EXPECT_TRUE(remove_tree(tree_ + "/below").is_ok());
  EXPECT_TRUE(fails.has_failed());
}

TEST_F(SystemErrors, OfNamesAreSaid) {
  expect_error(fs_.rename(dir_ / "missing", dir_ / "to"), ErrorKind::not_found,
               "cannot rename to " + dir_ / "to");
  expect_error(fs_.remove(tree_), ErrorKind::io, "cannot remove " + tree_);
  expect_error(fs_.remove_folder(tree_), ErrorKind::io, "cannot remove " + tree_);
  expect_error(fs_.reopen(dir_ / "missing").status(), ErrorKind::not_found,
               "cannot open " + dir_ / "missing");
  expect_error(fs_.create(tree_).status(), ErrorKind::io, "cannot create " + tree_);
  expect_error(fs_.map(tree_).status(), ErrorKind::io, "cannot open " + tree_);
}

// The file has its name by then; whether it keeps that without power is not known.
TEST_F(SystemErrors, OfTheFolderOfAFileAreSaid) {
  const std::string to = dir_ / "to";
  {
    const FailingCall fails(Call::open, EACCES);
    expect_error(fs_.rename(file_, to), ErrorKind::io, "cannot sync " + dir_.path());
  }
  {
    const FailingCall fails(Call::fsync, EIO);
    expect_error(fs_.rename(to, file_), ErrorKind::io, "cannot sync " + dir_.path());
  }
  // Some network file systems cannot sync a folder.
  const FailingCall fails(Call::fsync, EINVAL);
  EXPECT_TRUE(fs_.rename(file_, to).is_ok());
  EXPECT_TRUE(fails.has_failed());
  EXPECT_EQ(test::read_file(to), "content");
}

TEST_F(SystemErrors, OfLocksAreSaidWhereThereAreLocks) {
  {
    const FailingCall fails(Call::flock, EIO);
    expect_error(fs_.lock(tree_).status(), ErrorKind::io, "cannot lock " + tree_);
  }
  const FailingCall fails(Call::flock, ENOLCK);
  const auto lock = fs_.lock(tree_);
  ASSERT_TRUE(lock.is_ok());
  EXPECT_EQ(*lock, nullptr);
}

TEST_F(SystemErrors, OfOtherKindsAreErrors) {
  for (const int code : {EINVAL, ENOTSUP, ENOSYS, EBADF, EISDIR}) {
    EXPECT_FALSE(is_sync_error(code)) << code;
  }
  for (const int code : {ENOLCK, ENOTSUP, ENOSYS, EINVAL}) EXPECT_FALSE(is_lock_error(code));
}

// A copy ends where the file does, whatever its size was before.
TEST_F(SystemErrors, NoneIsAFileThatHasBecomeShorter) {
  test::ForwardingFileSystem without_links;
  const FailingCall fails(Call::pread, 0);
  ASSERT_TRUE(without_links.share(file_, dir_ / "copy").is_ok());
  EXPECT_TRUE(fails.has_failed());
  EXPECT_EQ(test::read_file(dir_ / "copy"), "");
}

TEST(GrowingPages, ThatFindNoMemoryStayAsTheyAre) {
  GrowingPages pages;
  const std::string text(1000, 'x');
  {
    const FailingCall fails(Call::mmap, ENOMEM);
    EXPECT_THROW(pages.append(as_bytes(text)), std::bad_alloc);
  }
  pages.append(as_bytes(text));
  const std::string more(1 << 20, 'y');
  {
    const FailingCall fails(Call::mremap, ENOMEM);
    EXPECT_THROW(pages.append(as_bytes(more)), std::bad_alloc);
  }
  EXPECT_EQ(as_text(pages.bytes()), text);
  pages.append(as_bytes(more));
  EXPECT_EQ(as_text(pages.bytes()), text + more);
}

}  // namespace
}  // namespace kith::storage
