#include "storage/string_table.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "storage/memory_file_system.h"

namespace kith::storage {
namespace {

// Every string once, ascending, in several blocks.
std::vector<std::string> ascending_strings() {
  std::vector<std::string> texts{""};
  for (int number = 1000; number < 1100; ++number) texts.push_back(std::to_string(number) + "x");
  return texts;
}

TEST(StringArray, GivesBackEveryString) {
  const std::string text = "abcde";
  const std::vector<uint64_t> offsets{0, 2, 2, 5};
  const auto array = StringArray::make(as_bytes(text), offsets);
  ASSERT_TRUE(array.is_ok());
  ASSERT_EQ(array->size(), 3u);
  EXPECT_EQ((*array)[0], "ab");
  EXPECT_EQ((*array)[1], "");
  EXPECT_EQ((*array)[2], "cde");
  EXPECT_EQ(StringArray().size(), 0u);
}

TEST(StringArray, OffsetsThatDoNotFitAreDamage) {
  const std::string text = "abcde";
  for (const std::vector<uint64_t>& offsets :
       std::vector<std::vector<uint64_t>>{{}, {1, 5}, {0, 4}, {0, 6}, {5}}) {
    const auto array = StringArray::make(as_bytes(text), offsets);
    ASSERT_FALSE(array.is_ok());
    EXPECT_EQ(array.error().kind, ErrorKind::corrupt);
  }
}

// They are not all read, so that what is between is found only when it is.
TEST(StringArray, ADamagedOffsetGivesOtherBytesOfTheArray) {
  const std::string text = "abcde";
  const std::vector<uint64_t> offsets{0, 900, 3, 5};
  const auto array = StringArray::make(as_bytes(text), offsets);
  ASSERT_TRUE(array.is_ok());
  for (uint64_t index = 0; index < 3; ++index) EXPECT_LE((*array)[index].size(), text.size());
  EXPECT_EQ((*array)[2], "de");
}

TEST(SortedStrings, CountsWhatIsLess) {
  const std::vector<std::string> texts = ascending_strings();
  MemoryFileSystem fs;
  std::vector<uint64_t> offsets;
  {
    auto out = SectionWriter::create(fs, "strings", FileKind{"test", 1});
    ASSERT_TRUE(out.is_ok());
    ASSERT_TRUE(out->begin("blocks").is_ok());
    SortedStringsWriter writer(*out);
    for (const std::string& text : texts) ASSERT_TRUE(writer.add(text).is_ok());
    ASSERT_TRUE(writer.finish().is_ok());
    offsets.assign(writer.block_offsets().begin(), writer.block_offsets().end());
    ASSERT_TRUE(out->finish().is_ok());
  }
  const auto file = SectionFile::open(fs, "strings", FileKind{"test", 1});
  ASSERT_TRUE(file.is_ok());
  const auto strings = SortedStrings::make(*file->section("blocks"), offsets, texts.size());
  ASSERT_TRUE(strings.is_ok());
  std::vector<std::string> asked = texts;
  asked.insert(asked.end(), {"1", "1050", "1050y", "9", std::string(1, '\0')});
  for (const std::string& text : asked) {
    const auto at = std::ranges::lower_bound(texts, text);
    EXPECT_EQ(strings->lower_bound(text), static_cast<uint64_t>(at - texts.begin())) << text;
  }
  EXPECT_EQ(SortedStrings().lower_bound("a"), 0u);
  EXPECT_FALSE(SortedStrings().find("a").has_value());
  // Offsets of another count, that go back, or that end elsewhere.
  for (const size_t damaged : {size_t{0}, size_t{1}, offsets.size() - 1}) {
    std::vector<uint64_t> other = offsets;
    other[damaged] += 100'000;
    EXPECT_FALSE(SortedStrings::make(*file->section("blocks"), other, texts.size()).is_ok());
  }
  EXPECT_FALSE(SortedStrings::make(*file->section("blocks"), offsets, 3).is_ok());
}

}  // namespace
}  // namespace kith::storage
