// The headings of a page: the texts of its first <h1> and <h2>.
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/html/html.h"

namespace kith::text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> headings_of(std::string_view html) {
  HtmlText page;
  extract_html("<h1>of an earlier page</h1>", page);  // what is reused keeps none of it
  extract_html(html, page);
  std::vector<std::string> headings;
  for (const TextPart& part : page.headings) {
    std::string text(page.text_of(part));
    while (text.ends_with(' ')) text.pop_back();
    headings.push_back(text);
  }
  return headings;
}

TEST(HtmlHeadings, AreTheFirstThree) {
  EXPECT_THAT(
      headings_of("<title>t</title><p>a<H1 id=x><a href=/>One</a> <b>two</b></H1>b<h3>no</h3>"
                  "<h2>Three</h2><h2>Four</h2><h1>Five</h1>"),
      ElementsAre("One two", "Three", "Four"));
}

TEST(HtmlHeadings, HaveText) {
  EXPECT_THAT(headings_of("<p>a<h1><img></h1><h2></h2><h2> x </h2>"), ElementsAre("x"));
  EXPECT_THAT(headings_of("<p>no heading"), IsEmpty());
}

TEST(HtmlHeadings, AreClosedAndShown) {
  EXPECT_THAT(headings_of("<h1>never closed <p>text"), IsEmpty());
  EXPECT_THAT(headings_of("<template><h1>hidden</h1></template><h1>shown</h1>"),
              ElementsAre("shown"));
  EXPECT_THAT(headings_of("</h1>text<h2>a <h1>b</h1> c</h2>"), ElementsAre("b"));
}

}  // namespace
}  // namespace kith::text
