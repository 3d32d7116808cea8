#include "text/url/replay.h"

#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace kith::text {
namespace {

TEST(UnwrapReplay, GivesTheUrlInside) {
  constexpr std::pair<std::string_view, std::string_view> cases[] = {
      {"https://web.archive.org/web/20200102030405/http://ex.test/", "http://ex.test/"},
      {"https://web.archive.org/web/20200102030405id_/https://ex.test/a?b=c/d",
       "https://ex.test/a?b=c/d"},
      {"http://web.archive.org/web/2020/http://ex.test/", "http://ex.test/"},
      {"https://web.archive.org/web/http://ex.test/", "http://ex.test/"},
      {"https://web.archive.org/web/20200102030405if_/ex.test/a", "http://ex.test/a"},
      {"https://web.archive.org/web/20200102030405/http:/ex.test/", "http:/ex.test/"},
      {"https://archive.org/wayback/20200102/HTTP://ex.test/", "HTTP://ex.test/"},
      {"https://wayback.archive-it.org/1068/20200102030405/http://ex.test/", "http://ex.test/"},
      {"https://arquivo.pt/wayback/20200102030405mp_/http://ex.test/", "http://ex.test/"},
      {"http://localhost:8080/live/mp_/http://ex.test/", "http://ex.test/"},
      {"http://localhost:8080/all/20200102030405wkr_/http://ex.test/", "http://ex.test/"},
  };
  for (const auto& [url, inside] : cases) EXPECT_EQ(unwrap_replay(url), inside) << url;
}

TEST(UnwrapReplay, LeavesOtherUrls) {
  for (const std::string_view url :
       {"https://web.archive.org/", "https://web.archive.org/web/",
        "https://web.archive.org/web/2020*/http://ex.test/",
        "https://web.archive.org/details/http://ex.test/",
        "https://ex.test/2020/http://other.test/",
        "https://ex.test/share?u=/20200102030405/http://other.test/",
        "https://ex.test/login/https://other.test/",
        "https://ex.test/202001020304056/http://other.test/",
        "https://web.archive.org/web/2020/index", "https://ex.test/20200102/other.test/",
        "https://ex.test", "http://", "", "https://ex.test/a_/http://other.test/",
        "https://ex.test/abcd_/http://other.test/"}) {
    EXPECT_EQ(unwrap_replay(url), "") << url;
  }
}

}  // namespace
}  // namespace kith::text
