// What a file is that is no crawl; tests/data/cases/read-other-formats has one of each kind.
#include "crawl/read/other_format.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kith::crawl {
namespace {

using ::testing::StartsWith;

std::string name_of(std::string_view start) {
  const auto found = other_format(start);
  return found ? found->name : "";
}

TEST(OtherFormat, IsKnownBehindBlanksMarksAndComments) {
  EXPECT_EQ(name_of("\xef\xbb\xbf \n<?xml version='1.0'?>\n<!-- <rss> -->\n<urlset\n>"),
            "a sitemap");
  EXPECT_EQ(name_of("\xef\xbb\xbf[1"), "a JSON array");
  EXPECT_EQ(name_of(" { \"log\" : {\n \"entries\":"), "a HAR file");
  EXPECT_EQ(name_of("\n{\r\n"), "JSON on several lines");
  EXPECT_EQ(name_of("\n\nhttp://a.test/\n"), "a list of URLs");
  EXPECT_EQ(name_of("\"id\";\"text\"\n1;\"a;b\"\n"), "a table (CSV)");
  EXPECT_EQ(name_of("Mime-Version: 1.0\n"), "a mail, or a page saved as one (MHTML)");
}

TEST(OtherFormat, LeavesAloneWhatKithReads) {
  for (const std::string_view start :
       {"<!DOCTYPE html><html>", "<?xml version='1.0'?><html>", "<!-- <urlset> --><p>",
        "<feedback>", "<", "<!--", "<?xml", "{", "{\"url\":\"http://a.test/\"}",
        "{\"log\":\"of a day\",\"url\":1}", "{\"log\":{}}"}) {
    EXPECT_FALSE(other_markup(start)) << start;
  }
  for (const std::string_view start :
       {"text", "[text] in brackets", "http://a.test/ is a page\n", "http://a.test/\nwords\n",
        "one, two\n", "one, two\nthree\n", "example.org) 2024\n", " \n \n"}) {
    EXPECT_EQ(name_of(start), "") << start;
  }
}

TEST(OtherFormat, SaysHowToFetchOneFile) {
  EXPECT_THAT(how_to_fetch("ftp://a.test/x"),
              StartsWith("ftp://a.test/x is a URL, not a file: download it, or pipe it"));
}

}  // namespace
}  // namespace kith::crawl
