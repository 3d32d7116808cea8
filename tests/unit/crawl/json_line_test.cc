// Lines of JSON: escapes, values and what is wrong with a line.
#include "crawl/read/json_line.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "crawl_testing.h"
#include "support/temp_dir.h"

namespace kith::crawl::test {
namespace {

using kith::test::TempDir;
using kith::test::write_file;
using testing::HasSubstr;

std::string with_mended_escapes(std::string json) {
  mend_surrogates(json);
  return json;
}

TEST(MendSurrogates, LooksAtWhatFollows) {
  EXPECT_EQ(with_mended_escapes(R"(\ud83d)"), R"(\ufffd)");
  EXPECT_EQ(with_mended_escapes(R"(\ud83d\ue000 )"), R"(\ufffd\ue000 )");
  EXPECT_EQ(with_mended_escapes(R"(\ud83d\u0041 )"), R"(\ufffd\u0041 )");
  EXPECT_EQ(with_mended_escapes(R"(\ud83d and more)"), R"(\ufffd and more)");
  EXPECT_EQ(with_mended_escapes(R"(\ud83d\n more)"), R"(\ufffd\n more)");
  EXPECT_EQ(with_mended_escapes(R"(\ud83d\ude)"), R"(\ufffd\ude)");
  EXPECT_EQ(with_mended_escapes(R"(\ud83d\udexx)"), R"(\ufffd\udexx)");
  EXPECT_EQ(with_mended_escapes(R"(\\ud83d)"), R"(\\ud83d)");
}

TEST(CountJsonValues, CountsWhatAParserHolds) {
  EXPECT_EQ(count_json_values("[1, 2, 3]"), 0u);
  const std::string filler(1 << 20, ' ');
  const auto count = [&](const std::string& json) { return count_json_values(json + filler); };
  EXPECT_EQ(count("[]"), 2u);
  EXPECT_EQ(count("[ 1234\t,\r\n\"a\" ]"), 5u);
  EXPECT_EQ(count(R"({"a\"b": true, "\\": null})"), 9u);
  EXPECT_EQ(count("12 345 -6.7e8"), 3u);
  EXPECT_EQ(count("1\t2\r3\n4"), 4u);
  // A string without an end reaches to the end.
  EXPECT_EQ(count("[\"a"), 2u);
  EXPECT_EQ(count_json_values(filler + "\"a\\"), 1u);
}

TEST(JsonLine, SaysWhatIsWrong) {
  JsonLineParser parser;
  const auto problem = [&](const std::string& line, uint64_t most = 1 << 20) {
    const std::string padded = line + std::string(128, ' ');
    return std::string(parser.parse(std::string_view(padded).substr(0, line.size()), most).problem);
  };
  EXPECT_EQ(problem(R"({"url": "a"})"), "");
  EXPECT_EQ(problem("[1]"), "no JSON object");
  EXPECT_EQ(problem("{\"url\": \"\xff\"}"), "not valid UTF-8");
  EXPECT_EQ(problem(R"({"url": "a)"), "a string without an end");
  EXPECT_EQ(problem("{\"url\": \"a\tb\"}"), "a control character in a string");
  EXPECT_EQ(problem(R"({"url": "a"} {})"), "something comes after the JSON object");
  EXPECT_EQ(problem(R"({"url" "a"})"), "no valid JSON");
  EXPECT_NE(problem(R"({"deleted": })"), "");
  EXPECT_EQ(problem(R"({"deleted": )"), "no valid JSON");
  std::string many = "{\"url\": [1";
  while (many.size() < 1 << 20) many += ",1";
  EXPECT_EQ(problem(many + "]}", 1000), "too many values for a page");
  EXPECT_EQ(problem(many + "]}", 1 << 20), "");
}

// A parser that has grown over a line is thrown away; the next line is as good as any.
TEST(JsonLine, IsReadAfterALongOne) {
  JsonLineParser parser;
  for (const size_t size : {size_t{10}, size_t{6} << 20, size_t{10}, size_t{9} << 20}) {
    const std::string line = R"({"id": 7, "text": ")" + std::string(size, 'x') +
                             R"(", "deleted": true, "time": 12.5, "html": 7})";
    const std::string padded = line + std::string(128, ' ');
    const JsonLine of = parser.parse(std::string_view(padded).substr(0, line.size()), 1000);
    EXPECT_EQ(std::string(of.problem), "");
    EXPECT_EQ(of.id, "7");
    EXPECT_EQ(of.time, "12.5");
    EXPECT_TRUE(of.is_deleted);
    EXPECT_EQ(of.body_field, RowFields().find("text"));
    EXPECT_GE(of.body.size, size);
  }
}

TEST(Jsonl, NamesHaveALimit) {
  const TempDir dir;
  const auto line = [](const std::string& url) {
    return R"({"url": "http://a/)" + url + R"(", "text": "words"})" + "\n";
  };
  write_file(dir / "a.jsonl", line("1") + line(std::string(65'536, 'x')) + line("2"));
  const Crawl crawl = read_file_as_crawl(dir / "a.jsonl");
  EXPECT_EQ(crawl.pages.size(), 2u);
  EXPECT_EQ(crawl.skipped(Skip::bad_url), 1u);
  ASSERT_EQ(crawl.report.examples.size(), 1u);
  EXPECT_THAT(crawl.report.examples[0].reason, HasSubstr("longer than 64 KiB"));
}

}  // namespace
}  // namespace kith::crawl::test
