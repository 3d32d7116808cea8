#include "text/html/markup.h"

#include <gtest/gtest.h>

#include "text/words/date_words.h"

namespace kith::text {
namespace {

Markup markup_of(std::string_view html) {
  Markup markup;
  read_markup(html, markup);
  return markup;
}

TEST(Markup, CountsFormsScriptsAndMedia) {
  const Markup markup = markup_of(
      "<form><INPUT TYPE=Password></form><script src=a.js>'<img src=no>'</script><img src=a.png>"
      "<iframe src='b'></iframe><img><!-- <form> --><textarea><form></textarea>");
  EXPECT_EQ(markup.forms, 1u);
  EXPECT_EQ(markup.scripts, 1u);
  EXPECT_EQ(markup.media, 2u);
  EXPECT_TRUE(markup.has_password);
  EXPECT_FALSE(markup.has_captcha);
}

TEST(Markup, MediaAreAsTheirAddressesInAnyOrder) {
  EXPECT_EQ(markup_of("<img src=a><img src=b>").media_hash,
            markup_of("<img src=b><p><img src=a>").media_hash);
  EXPECT_NE(markup_of("<img src=a>").media_hash, markup_of("<img src=b>").media_hash);
}

TEST(Markup, KnowsWhatPagesSayToRobots) {
  EXPECT_TRUE(markup_of("<div class='x h-captcha'>").has_captcha);
  EXPECT_TRUE(markup_of("<script src=/cdn-cgi/challenge-platform/x>").has_captcha);
  EXPECT_TRUE(markup_of("<meta name=Robots content='NoIndex, follow'>").is_noindex);
  EXPECT_FALSE(markup_of("<meta name=robots content=index>").is_noindex);
  EXPECT_TRUE(markup_of("<meta http-equiv=Refresh content='5'>").refreshes);
  EXPECT_TRUE(markup_of("<frameset><frame src=a></frameset>").has_frames);
}

TEST(Markup, KeepsTheTextForVisitorsWithoutScripts) {
  EXPECT_EQ(markup_of("a<noscript><b>Please</b></noscript>b<noscript>x</noscript>").unscripted_text,
            " <b>Please</b> x");
  EXPECT_EQ(markup_of("<noscript>never closed").unscripted_text, "");
}

TEST(Markup, ReadsWhatIsNoHtml) {
  for (const std::string_view html :
       {"", "<", "</", "<!", "<a", "<a b='", "<!--", "<script>", "\xff<\xfe>"}) {
    EXPECT_FALSE(markup_of(html).has_password) << html;
  }
}

TEST(DateWords, AreOfManyLanguages) {
  for (const std::string_view word :
       {"january", "märz", "février", "понедельник", "domingo", "月", "feb"}) {
    EXPECT_TRUE(is_date_word(word)) << word;
  }
  for (const std::string_view word : {"janus", "page", "mo", ""})
    EXPECT_FALSE(is_date_word(word)) << word;
}

}  // namespace
}  // namespace kith::text
