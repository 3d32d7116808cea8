// Pages made to hurt: every one is linear, so megabytes of it take no time; and what holds for
// any bytes at all.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "text/charset/charset.h"
#include "text/html/html.h"
#include "text/html/scan.h"
#include "text/html/writer.h"
#include "unit/text/html_pages.h"

namespace kith::text {
namespace {

using namespace std::string_literals;
using test::extract;
using test::repeat;

constexpr size_t four_megabytes = 4 << 20;

// A quadratic step over any of these would take hours.
TEST(HtmlHostile, MegabytesOfOnePiece) {
  for (const std::string& piece : test::markup_pieces()) {
    const HtmlText page = extract(repeat(piece, four_megabytes));
    EXPECT_LE(page.text.size(), 3 * four_megabytes) << piece;
  }
}

TEST(HtmlHostile, MegabytesBehindAnOpening) {
  const std::string prefixes[] = {"<a",
                                  "<a ",
                                  "<a href=",
                                  "<a href=\"",
                                  "<a href='",
                                  "</a",
                                  "<!--",
                                  "<![CDATA[",
                                  "<!",
                                  "<?",
                                  "<svg><![CDATA[",
                                  "<script>",
                                  "<script><!--",
                                  "<script><!--<script>",
                                  "<style>",
                                  "<title>",
                                  "<textarea>",
                                  "<plaintext>",
                                  "<xmp>",
                                  "<svg>",
                                  "<svg><style>",
                                  "<math><mi>",
                                  "<template>",
                                  "&",
                                  "&#",
                                  "&#x",
                                  "<svg><font ",
                                  "<select>",
                                  "<p",
                                  "<!doctype "};
  const std::string bodies[] = {
      "a",          "<",         ">",        "-",       "--",     "-->",         "&",
      "\"",         "=",         "/",        " ",       "]",      "]]",          "<a ",
      "</",         "</a",       "</script", "<script", "<!--",   "a=b ",        "a=\"b\" ",
      "</title",    "<svg>",     "</svg>",   "<font ",  "&notit", "0",           "href=x ",
      "<a href=x>", "<![CDATA[", "</math>",  "\0"s,     "\r",     "<script><!--"};
  for (const std::string& prefix : prefixes) {
    for (const std::string& body : bodies) {
      const HtmlText page = extract(prefix + repeat(body, 1 << 17));
      EXPECT_LE(page.text.size(), size_t{3} << 18) << prefix << body;
    }
  }
}

TEST(HtmlHostile, DeepNestingAndItsEnd) {
  const std::string open = repeat("<div><b><svg><foreignObject><math><mi>", four_megabytes);
  const std::string close = repeat("</mi></math></foreignObject></svg></b></div>", four_megabytes);
  EXPECT_EQ(test::text_of(open + "x" + close), "x");
}

TEST(HtmlHostile, TextMayGrow) {
  EXPECT_EQ(extract("<svg>" + std::string(four_megabytes, '\0')).text.size(), 3 * four_megabytes);
  const std::string references = repeat("&nGt;", four_megabytes);  // 5 bytes for 6
  EXPECT_EQ(extract(references).text.size(), references.size() / 5 * 6);
}

bool is_utf8(std::string_view text) {
  return weigh_utf8(text).errors == 0;
}

void check_invariants(const HtmlText& page) {
  RC_ASSERT(is_utf8(page.text));
  RC_ASSERT(is_utf8(page.hrefs));
  RC_ASSERT(is_utf8(page.title));
  RC_ASSERT(is_utf8(page.base_href));
  RC_ASSERT(is_utf8(page.language));
  RC_ASSERT(page.text.find("  ") == std::string::npos);
  RC_ASSERT(std::ranges::none_of(page.text, [](char c) { return static_cast<uint8_t>(c) < ' '; }));
  RC_ASSERT(page.text.empty() || page.text.front() != ' ');
  uint32_t text_end = 0;
  uint32_t href_end = 0;
  for (const HtmlLink& link : page.links) {
    RC_ASSERT(text_end <= link.text_begin);
    RC_ASSERT(link.text_begin <= link.text_end);
    RC_ASSERT(href_end == link.href_begin);
    RC_ASSERT(link.href_begin <= link.href_end);
    text_end = link.text_end;
    href_end = link.href_end;
  }
  RC_ASSERT(text_end <= page.text.size());
  RC_ASSERT(href_end == page.hrefs.size());
}

std::string random_markup() {
  const auto pieces =
      *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(test::markup_pieces()));
  std::string html;
  for (const std::string& piece : pieces) html += piece;
  return html;
}

RC_GTEST_PROP(HtmlProperty, AnyBytesKeepTheInvariants, (const std::string& bytes)) {
  std::string buffer;
  check_invariants(extract(to_utf8(bytes, {}, true, buffer).bytes));
}

RC_GTEST_PROP(HtmlProperty, AnyMarkupKeepsTheInvariants, ()) {
  check_invariants(extract(random_markup()));
}

RC_GTEST_PROP(HtmlProperty, TheResultDoesNotDependOnWhatWasThere, ()) {
  HtmlText reused;
  extract_html(random_markup(), reused);
  const std::string html = random_markup();
  extract_html(html, reused);
  RC_ASSERT(reused.text == extract(html).text);
  RC_ASSERT(test::links_of(html).size() == reused.links.size());
}

// Far from the end of the input, blocks of bytes are read at once; near it, byte by byte.
RC_GTEST_PROP(HtmlProperty, BlocksAgreeWithBytes, ()) {
  const std::string html = random_markup() + "<p>";
  const std::string padded = html + std::string(100, ' ');
  RC_ASSERT(test::text_of(html) == test::text_of(padded));
  const HtmlText page = extract(html);
  const HtmlText padded_page = extract(padded);
  RC_ASSERT(page.links.size() == padded_page.links.size());
  RC_ASSERT(page.hrefs == padded_page.hrefs);
}

RC_GTEST_PROP(HtmlScanProperty, AgreesWithASearch, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::element(' ', 'a', '<', '&', '\n'));
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  RC_ASSERT((find_any<'<', '&'>(begin, end) - begin) ==
            std::ranges::find_if(text, [](char c) { return c == '<' || c == '&'; }) - text.begin());
  RC_ASSERT(skip_blanks_and_controls(begin, end) - begin == std::ranges::find_if(text, [](char c) {
                                                              return c != ' ' && c != '\n';
                                                            }) - text.begin());
}

// The writer's slow twin: a byte at a time.
RC_GTEST_PROP(TextWriterProperty, AgreesWithAByteAtATime, ()) {
  const auto source =
      *rc::gen::container<std::string>(rc::gen::element(' ', 'a', 'b', '\t', '\x01', '\x7f'));
  std::string expected;
  for (const char c : source) {
    if (static_cast<uint8_t>(c) > ' ') {
      expected += c;
    } else if (!expected.empty() && expected.back() != ' ') {
      expected += ' ';
    }
  }
  std::string written = "what was there";
  TextWriter writer(written, 0);
  const size_t half = source.size() / 2;
  writer.copy(source.data(), source.data() + half);
  writer.copy(source.data() + half, source.data() + source.size());
  writer.finish();
  RC_ASSERT(written == expected);
}

}  // namespace
}  // namespace kith::text
