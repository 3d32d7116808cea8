#include <string>

#include <gtest/gtest.h>

#include "crawl/read/json_line.h"
#include "crawl/read/payload.h"

namespace kith::crawl {
namespace {

using namespace std::string_literals;

TEST(Sniff, KnowsFilesByTheirFirstBytes) {
  EXPECT_EQ(sniff_binary("%PDF-1.7\n%"), Skip::pdf);
  EXPECT_EQ(sniff_binary("\x89PNG\r\n\x1a\n"), Skip::image);
  EXPECT_EQ(sniff_binary("\xff\xd8\xff\xe0"), Skip::image);
  EXPECT_EQ(sniff_binary("GIF89a"), Skip::image);
  EXPECT_EQ(sniff_binary("RIFF\1\2\3\4WEBPVP8 "), Skip::image);
  EXPECT_EQ(sniff_binary("PK\3\4"), Skip::archive);
  EXPECT_EQ(sniff_binary("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), Skip::archive);
  EXPECT_EQ(sniff_binary("wOF2\0\1\0\0"s), Skip::font);
  EXPECT_EQ(sniff_binary("RIFF\1\2\3\4WAVE"), Skip::media);
  EXPECT_EQ(sniff_binary("\0\0\0\x18"
                         "ftypmp42"s),
            Skip::media);
  EXPECT_EQ(sniff_binary("ID3\3\0\0\0"s), Skip::media);
  EXPECT_EQ(sniff_binary("\x7f"
                         "ELF\2\1\1\0"s),
            Skip::executable);
  EXPECT_EQ(sniff_binary("\1\2\3\4 whatever"), Skip::binary);
}

TEST(Sniff, TextIsText) {
  EXPECT_EQ(sniff_binary(""), std::nullopt);
  EXPECT_EQ(sniff_binary("<!doctype html><p>PK\3\4 is how a ZIP file begins; this is none. " +
                         std::string(200, 'x')),
            std::nullopt);
  EXPECT_EQ(sniff_binary("ID3 is a format of tags"), std::nullopt);
  EXPECT_EQ(sniff_binary("OTTO went home"), std::nullopt);
  EXPECT_EQ(sniff_binary("\x1b$B%5%s\x1b(B of ISO-2022-JP"), std::nullopt);
  EXPECT_EQ(sniff_binary("\xff\xfe<\0p\0>\0"s), std::nullopt);
  EXPECT_EQ(sniff_binary("\xfe\xff\1\2\3\4\5\6"s), std::nullopt);
  EXPECT_EQ(sniff_binary("<\0p\0>\0w\0o\0r\0d\0s\0"s), std::nullopt);
  EXPECT_EQ(sniff_binary("\xe2\x82\xac and \xc3\xa9"), std::nullopt);
}

TEST(Sniff, MediaTypesOfNoText) {
  EXPECT_EQ(binary_kind("application/pdf"), Skip::pdf);
  EXPECT_EQ(binary_kind("Image/PNG"), Skip::image);
  EXPECT_EQ(binary_kind("text/html"), std::nullopt);
  EXPECT_EQ(binary_kind(""), std::nullopt);
}

std::string mended(std::string json) {
  mend_surrogates(json);
  return json;
}

TEST(MendSurrogates, ReplacesHalfPairsOnly) {
  EXPECT_EQ(mended(R"("a \ud83d b")"), R"("a \ufffd b")");
  EXPECT_EQ(mended(R"("\udce9")"), R"("\ufffd")");
  EXPECT_EQ(mended(R"("\uDE00\uD83D")"), R"("\ufffd\ufffd")");
  EXPECT_EQ(mended(R"("\ud83d\ude00")"), R"("\ud83d\ude00")");
  EXPECT_EQ(mended(R"("\ud83d\ud83d\ude00")"), R"("\ufffd\ud83d\ude00")");
  EXPECT_EQ(mended(R"("\\ud83d \\\ud83d")"), R"("\\ud83d \\\ufffd")");
  EXPECT_EQ(mended(R"("\ud83)"), R"("\ud83)");
  EXPECT_EQ(mended(R"("\u00e9")"), R"("\u00e9")");
}

}  // namespace
}  // namespace kith::crawl
