#include "base/bytes.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/hash.h"

namespace kith {
namespace {

RC_GTEST_PROP(Cursor, ReadsBackVarintsAndFixed, (const std::vector<uint64_t>& values)) {
  std::string bytes;
  for (const uint64_t value : values) {
    append_varint(bytes, value);
    append_fixed(bytes, value);
  }
  Cursor cursor(bytes);
  for (const uint64_t value : values) {
    RC_ASSERT(cursor.varint() == value);
    RC_ASSERT(cursor.fixed<uint64_t>() == value);
  }
  RC_ASSERT(cursor.at_end());
  RC_ASSERT(!cursor.failed());
}

TEST(Cursor, FailsForGoodPastTheEnd) {
  Cursor cursor(std::string_view("\x80\x80", 2));
  EXPECT_EQ(cursor.varint(), 0u);
  EXPECT_TRUE(cursor.failed());
  EXPECT_EQ(cursor.fixed<uint8_t>(), 0u);
  EXPECT_EQ(cursor.take(0).size(), 0u);
  EXPECT_TRUE(cursor.failed());
}

TEST(Cursor, RefusesAVarintOfElevenBytes) {
  Cursor cursor(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11));
  EXPECT_EQ(cursor.varint(), 0u);
  EXPECT_TRUE(cursor.failed());
}

RC_GTEST_PROP(StreamHash, EqualsTheHashOfTheWhole, (const std::vector<std::string>& pieces)) {
  StreamHash stream;
  std::string whole;
  for (const std::string& piece : pieces) {
    stream.update(as_bytes(piece));
    whole += piece;
  }
  RC_ASSERT(stream.digest() == hash64(whole));
}

// The values stand in files, so they may never change.
TEST(Hash, ValuesAreFixedForEver) {
  EXPECT_EQ(hash64(std::string_view("")), 0x2d06800538d394c2u);
  EXPECT_EQ(mix64(1), 0x5692161d100b05e5u);
}

}  // namespace
}  // namespace kith
