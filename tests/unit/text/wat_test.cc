#include "text/html/wat.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "text/words/words.h"

namespace kith::text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string envelope(const std::string& html) {
  return R"({"Container":{"Offset":"7"},"Envelope":{"Format":"WARC/1.0","Payload-Metadata":)"
         R"({"Actual-Content-Type":"x","HTTP-Response-Metadata":{"Headers":{"Links":[1]},)"
         R"("HTML-Metadata":)" +
         html + "}}}}";
}

HtmlText read(const std::string& json) {
  WatReader reader;
  HtmlText out;
  out.text = "before";
  out.links.resize(3);
  reader.read(json, out);
  EXPECT_TRUE(out.links_stand_alone);
  return out;
}

// "href: anchor text" of every link.
std::vector<std::string> links_of(const HtmlText& text) {
  std::vector<std::string> links;
  for (const HtmlLink& link : text.links) {
    links.push_back(std::string(text.href(link)) + ": " +
                    text.text.substr(link.text_begin, link.text_end - link.text_begin));
  }
  return links;
}

TEST(Wat, TitleBaseLanguageAndLinks) {
  const HtmlText text = read(envelope(R"({
    "Head":{"Title":" A\n  page\u00e9 ","Base":"https://a.example/b/","Scripts":[{"url":"x"}],
            "Metas":[{"name":"keywords","content":"k"},{"content":"de-AT","name":"HTML@/lang"},
                     {"http-equiv":"Refresh","content":"0; url=/new"}],
            "Link":[{"path":"LINK@/href","rel":"icon","url":"/i"},
                    {"path":"LINK@/href","url":"/good","rel":"canonical"}]},
    "Links":[{"path":"A@/href","url":"/1","text":"first  one"},
             {"url":"/2","rel":"nofollow","text":"second\tone","path":"A@/href"},
             {"path":"IMG@/src","url":"/i.png","alt":"an image"},
             {"path":"A@/href","url":"?3&x=\"y\""},
             {"path":"AREA@/href","url":"/4"},
             {"path":"A@/href","url":"/5","title":"by title","alt":"by alt"},
             {"path":"A@/href","url":"/6","text":" ","alt":"by alt"},
             {"path":"FORM@/action","url":"/f"},
             {"path":"A@/href","url":""},
             {"path":"A@/href","text":"no url"},
             {"path":"STYLE/#text","href":"/css"}]})"));
  EXPECT_EQ(text.title, "A page\u00e9");
  EXPECT_EQ(text.base_href, "https://a.example/b/");
  EXPECT_EQ(text.language, "de-AT");
  EXPECT_EQ(text.canonical, "/good");
  EXPECT_EQ(text.refresh, "/new");
  EXPECT_THAT(links_of(text), ElementsAre("/1: first one", "/2: second one",
                                          "?3&x=\"y\": ", "/4: ", "/5: by title", "/6: by alt"));
  EXPECT_EQ(text.text, "first one\nsecond one\nby title\nby alt\n");
}

TEST(Wat, ValuesOfOtherTypesAreEmpty) {
  const HtmlText text = read(envelope(
      R"({"Head":{"Title":["x"],"Base":1,"Metas":{"name":"HTML@/lang"}},"Links":[1,"A@/href",null,[],)"
      R"({"path":["A@/href"],"url":"/1"},{"path":"A@/href","url":7},)"
      R"({"path":"A@/href","url":"/2","text":{"text":"x"},"title":"\ud800"},)"
      R"({"path":"A@/href","url":"/3","text":"end"}]})"));
  EXPECT_EQ(text.title, "");
  EXPECT_EQ(text.base_href, "");
  EXPECT_EQ(text.language, "");
  EXPECT_THAT(links_of(text), ElementsAre("/2: ", "/3: end"));
}

TEST(Wat, OtherJsonGivesNothing) {
  for (const char* const json :
       {"", "{", "[]", "1", "null", "{}", R"({"Envelope":[]})", R"({"HTML-Metadata":{"Links":[]}})",
        R"({"Envelope":{"Payload-Metadata":{"HTTP-Request-Metadata":{"HTML-Metadata":{}}}}})"}) {
    const HtmlText text = read(json);
    EXPECT_THAT(text.links, IsEmpty()) << json;
    EXPECT_EQ(text.text, "") << json;
  }
  EXPECT_THAT(links_of(read(envelope(R"({"Links":[{"path":"A@/href","url":"/1"}]})"))),
              ElementsAre("/1: "));
}

TEST(Wat, WordsOfOneAnchorDoNotRunIntoTheNext) {
  const HtmlText text = read(envelope(
      R"({"Links":[{"path":"A@/href","url":"/1","text":"one"},{"path":"A@/href","url":"/2","text":"two"}]})"));
  WordSplitter splitter;
  splitter.reset(text.text);
  std::string_view word;
  uint32_t offset = 0;
  ASSERT_TRUE(splitter.next(word, offset));
  EXPECT_EQ(word, "one");
  EXPECT_EQ(offset, text.links[0].text_begin);
  ASSERT_TRUE(splitter.next(word, offset));
  EXPECT_EQ(word, "two");
  EXPECT_EQ(offset, text.links[1].text_begin);
  EXPECT_FALSE(splitter.next(word, offset));
}

RC_GTEST_PROP(Wat, DamagedJsonGivesSoundOffsets, (uint16_t at, char value)) {
  std::string json = envelope(
      R"({"Head":{"Title":"t"},"Links":[{"path":"A@/href","url":"/1","text":"one \u00e9\ud83d\ude00"},{}]})");
  json[at % json.size()] = value;
  const HtmlText text = read(json);
  for (const HtmlLink& link : text.links) {
    RC_ASSERT(link.text_begin <= link.text_end && link.text_end <= text.text.size());
    RC_ASSERT(link.href_begin <= link.href_end && link.href_end <= text.hrefs.size());
  }
}

}  // namespace
}  // namespace kith::text
