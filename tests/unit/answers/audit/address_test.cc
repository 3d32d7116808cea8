#include "answers/audit/address.h"

#include <gtest/gtest.h>

namespace kith::answers {
namespace {

TEST(Address, PatternsHaveNoNumbersAndNothingRandom) {
  EXPECT_EQ(read_address("https://a.test/news/2024/05/x1.html?id=77&q=word").pattern,
            "/news/0/0/x0.html?id=&q=");
  EXPECT_EQ(read_address("https://a.test/f/3f2a9c1e8b7d6a5f/x").pattern, "/f/*/x");
  EXPECT_EQ(read_address("https://a.test/").pattern, "/");
  EXPECT_EQ(read_address("a name").pattern, "");
  EXPECT_EQ(read_address("a name").host, "");
  EXPECT_EQ(read_address("").pattern, "");
}

TEST(Address, KnowsSessionsOfAllPlaces) {
  const auto without = [](std::string_view url) { return read_address(url).without_session; };
  EXPECT_EQ(without("https://a.test/p;jsessionid=0123456789ABCDEF?x=1"), "https://a.test/p?x=1");
  EXPECT_EQ(without("https://a.test/p?PHPSESSID=abcdef&x=1"), "https://a.test/p?x=1");
  EXPECT_EQ(without("https://a.test/p?visitor=3f2a9c1e8b7d6a5f3f2a"), "https://a.test/p");
  EXPECT_EQ(without("https://a.test/(S(abc123))/p.aspx"), "https://a.test/(S)/p.aspx");
  EXPECT_EQ(without("https://a.test/p;v=2?id=12345678&sort=name"), "");
  EXPECT_EQ(without("https://a.test/p?sid=1"), "");  // too short for a session
  EXPECT_EQ(without("https://a.test/a-long-name-of-words"), "");
}

TEST(Address, HasWordsNumbersAndDates) {
  const Address address = read_address("https://www.a.test/shop/red-chair_07.html?q=blue+sofa");
  EXPECT_EQ(address.words, (std::vector<std::string>{"chair", "html", "blue", "sofa"}));
  EXPECT_EQ(address.numbers, std::vector<std::string>{"7"});
  EXPECT_FALSE(address.has_date);
  EXPECT_TRUE(read_address("https://a.test/2031/02").has_date);
  EXPECT_TRUE(read_address("https://a.test/day?d=20310228").has_date);
  EXPECT_FALSE(read_address("https://a.test/day?d=20319928").has_date);
  EXPECT_FALSE(read_address("https://a.test/item/4711").has_date);
}

TEST(Address, KnowsPathsThatRepeatThemselves) {
  EXPECT_TRUE(read_address("https://a.test/x/img/x/img/x/img").repeats);
  EXPECT_FALSE(read_address("https://a.test/x/img/x").repeats);
}

}  // namespace
}  // namespace kith::answers
