#include <gtest/gtest.h>

#include "base/bytes.h"

namespace kith {
namespace {

TEST(Utf8, WhatIsValidStays) {
  for (const char* text : {"", "plain", "caf\xc3\xa9", "\xef\xbf\xbd", "\xf0\x9f\x98\x80"}) {
    EXPECT_EQ(with_valid_utf8(text), text);
  }
}

TEST(Utf8, EveryOtherByteIsReplaced) {
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(with_valid_utf8("caf\xe9!"), "caf" + mark + "!");
  EXPECT_EQ(with_valid_utf8("\xe2\x82"), mark + mark);                      // cut
  EXPECT_EQ(with_valid_utf8("\xc0\xaf"), mark + mark);                      // overlong
  EXPECT_EQ(with_valid_utf8("\xed\xa0\x80 a"), mark + mark + mark + " a");  // a surrogate
}

}  // namespace
}  // namespace kith
