#include "answers/audit/families.h"

#include <deque>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "answers/audit/page_facts.h"
#include "answers/audit/templates.h"

namespace kith::answers {
namespace {

// Pages with their facts, as an audit keeps them.
class AuditTest : public testing::Test {
 protected:
  void add(std::string url, std::string html) {
    urls_.push_back(std::move(url));
    crawl::Page page;
    page.url = urls_.back();
    page.body = html;
    page.record = pages_.size();
    PageFacts facts = meter_.read(page);
    blocks_.emplace_back(facts.blocks.begin(), facts.blocks.end());
    facts.blocks = blocks_.back();
    facts.sample = {};
    pages_.push_back(facts);
  }

  std::vector<Family> families() {
    leave_out_templates(pages_);
    return find_families(pages_, options_);
  }

  static std::string words(unsigned seed, unsigned count) {
    std::string text;
    for (unsigned i = 0; i < count; ++i) {
      seed = seed * 1664525 + 1013904223;
      text += fmt::format("{}{} ", static_cast<char>('a' + seed / 65536 % 26),
                          std::string(3 + seed / 16777216 % 5, 'o'));
    }
    return text;
  }

  AuditOptions options_;
  std::vector<PageFacts> pages_;

 private:
  PageMeter meter_;
  std::deque<std::string> urls_;
  std::deque<std::vector<TextBlock>> blocks_;
};

TEST_F(AuditTest, NothingIsFoundWhereNothingIs) {
  EXPECT_TRUE(families().empty());
  add("https://a.test/", "");
  add("https://a.test/x", "<p>one page");
  EXPECT_TRUE(families().empty());
}

TEST_F(AuditTest, AFamilyNeedsPagesAndAScore) {
  for (int i = 0; i < 3; ++i) {
    add(fmt::format("https://a.test/x{}", i), "<title>Page not found</title><p>Sorry.");
  }
  ASSERT_EQ(families().size(), 1u);
  EXPECT_EQ(families()[0].verdict.kind, NoContent::soft_404);
  EXPECT_EQ(families()[0].pages, (std::vector<uint32_t>{0, 1, 2}));
  options_.min_pages = 4;
  EXPECT_TRUE(families().empty());
  options_.min_pages = 3;
  options_.min_score = 3;
  EXPECT_TRUE(families().empty());
}

TEST_F(AuditTest, WhatAllPagesOfAHostHaveIsNotWhatAPageSays) {
  const std::string sidebar = "<aside><p>" + words(1, 150) + "</p></aside>";
  const std::string banner = "<div>We use cookies: accept them all, or choose.</div>";
  for (unsigned i = 0; i < 6; ++i) {
    add(fmt::format("https://a.test/own/{}", i), banner + "<p>" + words(i + 7, 80) + sidebar);
  }
  for (int i = 0; i < 4; ++i) {
    add(fmt::format("https://a.test/gone/{}", i),
        banner + "<h1>Not found</h1><p>That page does not exist any more.</p>" + sidebar);
  }
  const auto found = families();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].verdict.kind, NoContent::soft_404);
  EXPECT_EQ(found[0].pages.size(), 4u);
  EXPECT_LT(pages_[6].prose_words, 20u);
  EXPECT_FALSE(pages_[0].body_claims[Claim::consent]);
  EXPECT_TRUE(pages_[6].body_claims[Claim::missing]);
}

TEST_F(AuditTest, NumbersAreContentUnlessTheyAreOfTheVisit) {
  const auto table = [](int seed) {
    return fmt::format("<p>{} {} {} {}</p><p>{}</p>", seed, seed * 3, seed + 9, seed * 7,
                       words(3, 90));
  };
  for (int i = 0; i < 6; ++i) add(fmt::format("https://a.test/t?id={}", i), table(40 + i));
  EXPECT_TRUE(families().empty());
  for (int i = 0; i < 4; ++i) {
    add(fmt::format("https://a.test/s?PHPSESSID=abcdef{}", i), table(140 + i));
  }
  const auto found = families();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].verdict.kind, NoContent::session_trap);
  EXPECT_EQ(found[0].stays, 6u);
}

TEST_F(AuditTest, ThePlainAddressOfASessionStays) {
  const std::string html = "<p>" + words(5, 90);
  add("https://a.test/p?visit=3f2a9c1e8b7d6a5f3f2a", html);
  add("https://a.test/p?visit=8b7d6a5f3f2a3f2a9c1e", html);
  add("https://a.test/p", html);
  const auto found = families();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].stays, 2u);
}

TEST_F(AuditTest, ReasonsComeByWeight) {
  for (int i = 0; i < 3; ++i) {
    add(fmt::format("https://a.test/{}", i),
        "<title>Sign in</title><form><input type=password></form><p>Please sign in.");
  }
  const auto found = families();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].verdict.kind, NoContent::login_wall);
  EXPECT_EQ(found[0].verdict.reasons.front(), "a form asks for a password");
}

}  // namespace
}  // namespace kith::answers
