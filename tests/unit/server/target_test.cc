#include <string>

#include <gtest/gtest.h>

#include "server/message.h"

namespace kith::server {
namespace {

Target of(std::string_view text) {
  auto target = parse_target(text);
  EXPECT_TRUE(target.is_ok()) << text;
  return target ? *std::move(target) : Target();
}

TEST(Target, IsDecoded) {
  const Target target = of("/api/search?q=a%20b+c%26d&n=5&empty=");
  EXPECT_EQ(target.path, "/api/search");
  ASSERT_NE(target.find("q"), nullptr);
  EXPECT_EQ(*target.find("q"), "a b c&d");
  EXPECT_EQ(*target.find("empty"), "");
  EXPECT_EQ(target.find("m"), nullptr);
}

TEST(Target, MustBeAPath) {
  for (const char* text : {"", "http://example.org/", "api", "/a b", "/%zz", "*"}) {
    const auto target = parse_target(text);
    ASSERT_FALSE(target.is_ok()) << text;
    EXPECT_EQ(target.error().kind, ErrorKind::usage);
  }
}

TEST(Parameters, NumbersHaveBounds) {
  const Target target = of("/?n=12&minus=-1&text=12x&big=99999999999999999999999");
  const Parameters parameters(target);
  EXPECT_EQ(*parameters.number("n", 1, 1, 12), 12u);
  EXPECT_EQ(*parameters.number("absent", 7, 1, 12), 7u);
  EXPECT_FALSE(parameters.number("n", 1, 1, 11).is_ok());
  EXPECT_FALSE(parameters.number("n", 1, 13, 20).is_ok());
  for (const char* name : {"minus", "text", "big"}) {
    const auto number = parameters.number(name, 1, 0, 1000);
    ASSERT_FALSE(number.is_ok()) << name;
    EXPECT_NE(number.error().message.find(name), std::string::npos);
  }
}

TEST(Parameters, FlagsAndChoices) {
  const Target target = of("/?yes&one=1&true=true&no=0&false=false&other=maybe&sort=size");
  const Parameters parameters(target);
  for (const char* name : {"yes", "one", "true"}) EXPECT_TRUE(*parameters.flag(name)) << name;
  for (const char* name : {"no", "false", "absent"}) EXPECT_FALSE(*parameters.flag(name)) << name;
  EXPECT_FALSE(parameters.flag("other").is_ok());
  EXPECT_EQ(*parameters.choice("sort", {"hosts", "size"}), "size");
  EXPECT_EQ(*parameters.choice("absent", {"hosts", "size"}), "hosts");
  EXPECT_FALSE(parameters.choice("other", {"hosts", "size"}).is_ok());
}

TEST(Parameters, MustBeKnownAndThereOnce) {
  const Target once = of("/?a=1&b=2");
  EXPECT_TRUE(Parameters(once).check_names({"a", "b", "c"}).is_ok());
  EXPECT_FALSE(Parameters(once).check_names({"a"}).is_ok());
  const Target twice = of("/?a=1&a=1");
  EXPECT_FALSE(Parameters(twice).check_names({"a"}).is_ok());
}

TEST(Parameters, TextMustNotBeEmpty) {
  const Target target = of("/?a=&b=x");
  EXPECT_FALSE(Parameters(target).text("a").is_ok());
  EXPECT_FALSE(Parameters(target).text("c").is_ok());
  EXPECT_EQ(*Parameters(target).text("b"), "x");
}

TEST(HostField, OfAnAddressHasItsDigitsOnly) {
  for (const char* field : {"[::1]", "[ABCD:ef::9]:80", "[::ffff:1.2.3.4]", "[f::F]"}) {
    EXPECT_TRUE(parse_host(field).has_value()) << field;
  }
  EXPECT_EQ(parse_host("[ABCD::F]:80")->name, "[abcd::f]");
  EXPECT_EQ(parse_host("[ABCD::F]:80")->port, "80");
  for (const char* field : {"[::g]", "[::G]", "[v1.x]", "[::1%25lo]", "[::1/]", "[`]", "[]", "["}) {
    EXPECT_FALSE(parse_host(field).has_value()) << field;
  }
}

TEST(Origin, IsThatOfTheServerByNameAndPort) {
  EXPECT_TRUE(is_same_origin("https://a.example", "A.example:443"));
  EXPECT_TRUE(is_same_origin("http://[::1]:8080", "[::1]:8080"));
  EXPECT_FALSE(is_same_origin("http://a.example", "a.example:443"));
  // Neither names a host.
  EXPECT_FALSE(is_same_origin("http://", "a.example"));
  EXPECT_FALSE(is_same_origin("http://a b", "a b"));
  EXPECT_FALSE(is_same_origin("http://a.example", ""));
  EXPECT_FALSE(is_same_origin("ftp://a.example", "a.example"));
}

}  // namespace
}  // namespace kith::server
