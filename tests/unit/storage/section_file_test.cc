#include "storage/section_file.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <utility>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "storage/string_table.h"
#include "support/memory_file_system.h"
#include "support/temp_dir.h"

namespace kith::storage {
namespace {

constexpr FileKind kind{"test", 3};

std::string write_sample(const test::TempDir& dir) {
  const std::string path = dir / "sample.kith";
  auto writer = SectionWriter::create(posix_file_system(), path, kind);
  EXPECT_TRUE(writer.is_ok());
  std::vector<uint32_t> numbers(100'000);
  std::iota(numbers.begin(), numbers.end(), 7u);
  EXPECT_TRUE(writer->begin("numbers").is_ok());
  EXPECT_TRUE(writer->append_array(std::span<const uint32_t>(numbers)).is_ok());
  EXPECT_TRUE(writer->begin("empty").is_ok());
  EXPECT_TRUE(writer->begin("sixteen_letters_").is_ok());
  EXPECT_TRUE(writer->append("abc").is_ok());
  EXPECT_TRUE(writer->append("def").is_ok());
  EXPECT_TRUE(writer->finish().is_ok());
  return path;
}

TEST(SectionFile, GivesBackWhatWasWritten) {
  const test::TempDir dir;
  const auto file = SectionFile::open(posix_file_system(), write_sample(dir), kind);
  ASSERT_TRUE(file.is_ok()) << file.error().message;
  const auto numbers = file->array<uint32_t>("numbers");
  ASSERT_TRUE(numbers.is_ok());
  ASSERT_EQ(numbers->size(), 100'000u);
  EXPECT_EQ((*numbers)[99'999], 100'006u);
  EXPECT_EQ(file->section("empty")->size(), 0u);
  EXPECT_EQ(as_text(*file->section("sixteen_letters_")), "abcdef");
  EXPECT_TRUE(file->verify().is_ok());
}

TEST(SectionFile, WhatWasCutOffWhileItWasOpenIsAnError) {
  const test::TempDir dir;
  const std::string path = write_sample(dir);
  const auto file = SectionFile::open(posix_file_system(), path, kind);
  const auto numbers = file->array<uint32_t>("numbers").value();
  ASSERT_TRUE(file->check(numbers.first(1)).is_ok());
  std::filesystem::resize_file(path, 100);
  // Of a block that was compared before, of others, and of all.
  for (const Status& status : {file->check(numbers.first(1)), file->check(numbers.last(1)),
                               file->check(numbers), file->check_size(), file->verify()}) {
    ASSERT_FALSE(status.is_ok());
    EXPECT_NE(status.error().message.find("was cut off after 100 of "), std::string::npos);
  }
}

TEST(SectionFile, MissingSectionOrWrongElementSizeIsAnError) {
  const test::TempDir dir;
  const auto file = SectionFile::open(posix_file_system(), write_sample(dir), kind);
  EXPECT_EQ(file->section("absent").error().kind, ErrorKind::corrupt);
  EXPECT_FALSE(file->array<uint64_t>("sixteen_letters_").is_ok());
}

TEST(SectionFile, OtherKindOrVersionIsRefused) {
  const test::TempDir dir;
  const std::string path = write_sample(dir);
  EXPECT_FALSE(SectionFile::open(posix_file_system(), path, {"bags", 3}).is_ok());
  const auto older = SectionFile::open(posix_file_system(), path, {"test", 2});
  ASSERT_FALSE(older.is_ok());
  EXPECT_NE(older.error().message.find("version 3"), std::string::npos);
}

TEST(SectionFile, TheChecksumIsThatOfTheContent) {
  const test::TempDir dir;
  const auto checksum_of = [&](std::string_view content) {
    auto writer = SectionWriter::create(posix_file_system(), dir / "one.kith", kind);
    EXPECT_TRUE(writer->begin("one").is_ok() && writer->append(content).is_ok());
    EXPECT_TRUE(writer->finish().is_ok());
    return SectionFile::open(posix_file_system(), dir / "one.kith", kind)->checksum();
  };
  EXPECT_EQ(checksum_of("hello"), checksum_of("hello"));
  EXPECT_NE(checksum_of("hello"), checksum_of("hallo"));
}

TEST(SectionFile, UnfinishedWriterLeavesNothing) {
  const test::TempDir dir;
  const std::string path = dir / "sample.kith";
  {
    auto writer = SectionWriter::create(posix_file_system(), path, kind);
    ASSERT_TRUE(writer->begin("numbers").is_ok());
  }
  EXPECT_FALSE(posix_file_system().exists(path));
  EXPECT_FALSE(posix_file_system().exists(path + ".tmp"));
}

// A disk that notes how many bytes its sync() has to wait for, at most.
class NotingDisk final : public test::MemoryFileSystem {
 public:
  uint64_t max_waiting = 0;

  Result<std::unique_ptr<WritableFile>> create(const std::string& path) override {
    KITH_ASSIGN(auto file, MemoryFileSystem::create(path));
    return std::unique_ptr<WritableFile>(std::make_unique<File>(*this, std::move(file)));
  }

 private:
  class File final : public WritableFile {
   public:
    File(NotingDisk& disk, std::unique_ptr<WritableFile> file)
        : disk_(disk), file_(std::move(file)) {}
    Status append(Bytes bytes) override {
      waiting_ += bytes.size();
      return file_->append(bytes);
    }
    void start_sync() override { waiting_ = 0; }
    Status sync() override {
      disk_.max_waiting = std::max(disk_.max_waiting, waiting_);
      return file_->sync();
    }
    Status close() override { return file_->close(); }

   private:
    NotingDisk& disk_;
    std::unique_ptr<WritableFile> file_;
    uint64_t waiting_ = 0;
  };
};

TEST(SectionFile, SyncsALargeFileWhileItIsWritten) {
  NotingDisk disk;
  auto writer = SectionWriter::create(disk, "large.kith", kind);
  ASSERT_TRUE(writer->begin("numbers").is_ok());
  const std::vector<uint32_t> small(100'000, 7);  // 0.4 MB, which are gathered
  const std::vector<uint32_t> large(1'500'000, 8);
  for (int i = 0; i < 7; ++i) {
    ASSERT_TRUE(writer->append_array(std::span(small)).is_ok());
    ASSERT_TRUE(writer->append_array(std::span(large)).is_ok());
  }
  ASSERT_TRUE(writer->finish().is_ok());
  EXPECT_GT(disk.max_waiting, 0u);
  EXPECT_LT(disk.max_waiting, 24u << 20);  // of 45 MB
}

// Every prefix is refused; every flipped byte is refused at open or found by verify, also in the
// padding between sections, which nothing else reads.
TEST(SectionFile, DamageIsFound) {
  const test::TempDir dir;
  const std::string path = dir / "small.kith";
  auto writer = SectionWriter::create(posix_file_system(), path, kind);
  ASSERT_TRUE(writer->begin("one").is_ok());
  ASSERT_TRUE(writer->append("hello").is_ok());
  ASSERT_TRUE(writer->finish().is_ok());
  const std::string good = test::read_file(path);
  const auto accepted = [&](const std::string& bytes) {
    test::write_file(path, bytes);
    const auto file = SectionFile::open(posix_file_system(), path, kind);
    return file.is_ok() && file->verify().is_ok();
  };
  EXPECT_TRUE(accepted(good));
  for (size_t size = 0; size < good.size(); ++size) EXPECT_FALSE(accepted(good.substr(0, size)));
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x40);
    EXPECT_FALSE(accepted(bad)) << "byte " << i;
  }
}

// Two sections, of several blocks and of less than one.
std::string write_blocks(const test::TempDir& dir) {
  const std::string path = dir / "blocks.kith";
  auto writer = SectionWriter::create(posix_file_system(), path, kind);
  EXPECT_TRUE(writer->begin("long").is_ok());
  std::string text(3 * check_block + 1000, 'x');
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 7 % 251);
  // In pieces that do not end where blocks do.
  for (size_t at = 0; at < text.size(); at += 10'000) {
    EXPECT_TRUE(writer->append(std::string_view(text).substr(at, 10'000)).is_ok());
  }
  EXPECT_TRUE(writer->begin("short").is_ok() && writer->append("hello").is_ok());
  EXPECT_TRUE(writer->finish().is_ok());
  return path;
}

TEST(SectionFile, ChecksThePartsThatAreUsed) {
  const test::TempDir dir;
  const std::string path = write_blocks(dir);
  const std::string good = test::read_file(path);
  const auto whole = SectionFile::open(posix_file_system(), path, kind);
  ASSERT_TRUE(whole.is_ok());
  EXPECT_TRUE(whole->verify().is_ok());
  EXPECT_TRUE(whole->check(*whole->section("long")).is_ok());
  EXPECT_TRUE(whole->check(Bytes()).is_ok());
  const std::string_view text = as_text(*whole->section("long"));
  std::string bad = good;
  bad[good.find(text) + check_block + 17] ^= 1;
  test::write_file(path, bad);
  const auto file = SectionFile::open(posix_file_system(), path, kind);
  ASSERT_TRUE(file.is_ok());
  const Bytes section = *file->section("long");
  for (const auto& [offset, size] : {std::pair<size_t, size_t>{0, 1},
                                     {check_block - 1, 1},
                                     {2 * check_block, check_block + 1000},
                                     {section.size() - 1, 1}}) {
    EXPECT_TRUE(file->check(section.subspan(offset, size)).is_ok()) << offset;
  }
  EXPECT_TRUE(file->check(*file->section("short")).is_ok());
  for (const auto& [offset, size] : {std::pair<size_t, size_t>{check_block, 1},
                                     {check_block - 1, 2},
                                     {2 * check_block - 1, 1},
                                     {0, section.size()}}) {
    for (int again = 0; again < 2; ++again) {
      const Status status = file->check(section.subspan(offset, size));
      ASSERT_FALSE(status.is_ok()) << offset;
      EXPECT_EQ(status.error().kind, ErrorKind::corrupt);
      EXPECT_TRUE(status.error().message.starts_with(path + ": section 'long' ")) << again;
    }
  }
  EXPECT_FALSE(file->verify().is_ok());
}

TEST(SectionFile, FindsDamageOfBlocksAndOfTheirChecksums) {
  const test::TempDir dir;
  const std::string path = write_blocks(dir);
  const std::string good = test::read_file(path);
  // All of the end, where the checksums are, and some of the rest.
  for (size_t i = 0; i < good.size(); i += i + 400 < good.size() ? 4999 : 1) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x40);
    test::write_file(path, bad);
    const auto file = SectionFile::open(posix_file_system(), path, kind);
    EXPECT_FALSE(file.is_ok() && file->verify().is_ok()) << i;
  }
}

// A file made by hand, whose table has the checksum that it should have: sections of any place and
// size in it, of which each has one block with that content.
class HostileFile {
 public:
  struct Entry {
    uint64_t offset;
    uint64_t size;
  };

  // padding: bytes between the checksums of blocks and the table.
  Status open(const std::vector<Entry>& entries, size_t blocks, size_t padding = 0) const {
    std::string bytes("kithtest");
    append_fixed<uint32_t>(bytes, kind.version);
    append_fixed<uint32_t>(bytes, 2);
    bytes.resize(64, '\0');
    bytes += content_;
    bytes.resize(128, '\0');
    const uint64_t block = hash64(content_);
    for (size_t i = 0; i < blocks; ++i) append_fixed(bytes, block);
    bytes.append(padding, '\0');
    std::string table;
    for (const Entry& entry : entries) {
      table += std::string("one").append(13, '\0');
      append_fixed(table, entry.offset);
      append_fixed(table, entry.size);
      append_fixed(table, hash64(std::as_bytes(std::span(&block, 1))));
    }
    const uint64_t table_at = bytes.size();
    bytes += table;
    append_fixed(bytes, table_at);
    append_fixed(bytes, hash64(table));
    bytes += "kithkith";
    test::write_file(dir_ / "made.kith", bytes);
    KITH_ASSIGN(const SectionFile file,
                SectionFile::open(posix_file_system(), dir_ / "made.kith", kind));
    return file.verify();
  }
  std::string error(const std::vector<Entry>& entries, size_t blocks, size_t padding = 0) const {
    const Status status = open(entries, blocks, padding);
    if (status) return "";
    EXPECT_EQ(status.error().kind, ErrorKind::corrupt);
    return status.error().message;
  }

 private:
  test::TempDir dir_;
  std::string content_ = "hello";
};

TEST(SectionFile, ATableThatLiesIsRefused) {
  const HostileFile file;
  EXPECT_EQ(file.error({{64, 5}}, 1), "");
  constexpr const char* outside = "section 'one' lies outside the file";
  for (const HostileFile::Entry entry : {HostileFile::Entry{1024, 5},
                                         {64, 1024},
                                         {64, UINT64_MAX},
                                         {UINT64_MAX - 63, 64},
                                         {65, 4}}) {
    EXPECT_NE(file.error({entry}, 1).find(outside), std::string::npos) << entry.offset;
  }
  constexpr const char* no_room = "has no room for the checksums of its blocks";
  EXPECT_NE(file.error({{64, 5}}, 1, 3).find(no_room), std::string::npos);
  const std::vector<HostileFile::Entry> many(100, {64, 5});
  EXPECT_NE(file.error(many, 1).find(no_room), std::string::npos);
}

TEST(SectionFile, SectionsThatOverlapAreRefused) {
  const HostileFile file;
  EXPECT_NE(file.error({{64, 5}, {64, 5}}, 2).find("damaged between its sections"),
            std::string::npos);
}

TEST(SortedStrings, OfNothingHaveNone) {
  const SortedStrings strings;
  EXPECT_EQ(strings.size(), 0u);
  EXPECT_EQ(strings.find("a"), std::nullopt);
  EXPECT_EQ(strings.lower_bound("a"), 0u);
}

TEST(SortedStrings, FindsEveryStringAndNoOther) {
  const test::TempDir dir;
  for (const uint64_t count : {0u, 1u, 63u, 64u, 65u, 1000u}) {
    const std::string path = dir / "strings.kith";
    auto out = SectionWriter::create(posix_file_system(), path, kind);
    ASSERT_TRUE(out->begin("blocks").is_ok());
    SortedStringsWriter writer(*out);
    const auto name = [](uint64_t i) { return "site/" + std::to_string(100'000 + 2 * i); };
    for (uint64_t i = 0; i < count; ++i) ASSERT_TRUE(writer.add(name(i)).is_ok());
    ASSERT_TRUE(writer.finish().is_ok());
    ASSERT_TRUE(out->begin("offsets").is_ok());
    ASSERT_TRUE(out->append_array(writer.block_offsets()).is_ok());
    ASSERT_TRUE(out->finish().is_ok());

    const auto file = SectionFile::open(posix_file_system(), path, kind);
    const auto strings =
        SortedStrings::make(*file->section("blocks"), *file->array<uint64_t>("offsets"), count);
    ASSERT_TRUE(strings.is_ok());
    for (uint64_t i = 0; i < count; ++i) {
      EXPECT_EQ(strings->at(i), name(i));
      EXPECT_EQ(strings->find(name(i)), i);
      EXPECT_EQ(strings->find(name(i) + "x"), std::nullopt);
    }
    EXPECT_EQ(strings->find(""), std::nullopt);
    EXPECT_EQ(strings->find("zzz"), std::nullopt);
    uint64_t seen = 0;
    strings->for_each(count / 3, count, [&](uint64_t i, std::string_view text) {
      EXPECT_EQ(text, name(i));
      ++seen;
    });
    EXPECT_EQ(seen, count - count / 3);
  }
}

// A block may hold more than the count says, in a file that is damaged or made to harm.
TEST(SortedStrings, StringsBeyondTheCountAreNotThere) {
  std::string block;
  for (const std::string_view text : {"a", "b", "c"}) {
    append_varint(block, 0);
    append_varint(block, text.size());
    block += text;
  }
  const std::vector<uint64_t> offsets{0, block.size()};
  const auto strings = SortedStrings::make(as_bytes(block), offsets, 2);
  ASSERT_TRUE(strings.is_ok());
  EXPECT_EQ(strings->find("b"), 1u);
  EXPECT_EQ(strings->find("c"), std::nullopt);
  std::string all;
  strings->for_each(0, 2, [&](uint64_t, std::string_view text) { all += text; });
  EXPECT_EQ(all, "ab");
}

}  // namespace
}  // namespace kith::storage
