#include "text/url/cdx_key.h"

#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace kith::text {
namespace {

// As surt 0.3.1 of PyPI says.
TEST(CdxKey, IsThatOfSurt) {
  constexpr std::pair<std::string_view, std::string_view> cases[] = {
      {"http://www.example.com/", "com,example)/"},
      {"https://example.com/A/B/", "com,example)/a/b"},
      {"http://www2.ex.test/a?b=2&a=1", "test,ex)/a?a=1&b=2"},
      {"http://wwwx.ex.test/", "test,ex,wwwx)/"},
      {"http://ex.test:8080/x", "test,ex:8080)/x"},
      {"http://192.0.2.1/", "1,2,0,192)/"},
      {"http://[::1]/x", "::1)/x"},
      {"http://ex.test/?", "test,ex)/"},
      {"http://ex.test/a//b/", "test,ex)/a/b"},
      {"http://ex.test/a%2Fb/.", "test,ex)/a/b"},
      {"http://ex.test/a%20b/%C3%A9%7E", "test,ex)/a%20b/%c3%a9~"},
      {"http://ex.test/%2541%", "test,ex)/a%25"},
      {"http://ex.test/a?b=&a", "test,ex)/a?a&b="},
      {"http://ex.test/a?a-b=1&a=2", "test,ex)/a?a=2&a-b=1"},
      {"http://ex.test/a/?q=C", "test,ex)/a?q=c"},
      {"http://ex.test/i.php?PHPSESSID=0123456789abcdef0123456789abcdef&x=1", "test,ex)/i.php?x=1"},
      {"http://ex.test/?sid=0123456789abcdef0123456789abcdef", "test,ex)/"},
      {"http://ex.test/?sid=5", "test,ex)/?sid=5"},
      {"http://ex.test/a?x=1&sid=0123456789abcdef0123456789abcdef", "test,ex)/a?&x=1"},
  };
  for (const auto& [url, key] : cases) EXPECT_EQ(cdx_key(url), key) << url;
}

}  // namespace
}  // namespace kith::text
