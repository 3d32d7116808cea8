// Any bytes as a base, a line feed and an href: canonical URLs are fixed points, their parts lie
// where they should, and their sort keys lead back to them.
#include "text/url/url.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "text/url/url_rules.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using kith::text::Url;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t line = input.find('\n');
  const std::string_view base_text = input.substr(0, line);
  const std::string_view href =
      line == std::string_view::npos ? std::string_view() : input.substr(line + 1);

  Url base;
  const bool has_base = kith::text::parse_url(base_text, nullptr, base);
  Url url;
  if (!kith::text::parse_url(href, has_base ? &base : nullptr, url)) return 0;

  Url again;
  KITH_CHECK(kith::text::parse_url(url.href, nullptr, again));
  KITH_CHECK(again.href == url.href);
  KITH_CHECK(again.host() == url.host() && again.path_begin == url.path_begin &&
             again.query_begin == url.query_begin);
  KITH_CHECK(kith::text::host_of(url.href) == url.host());
  KITH_CHECK(url.href.at(url.path_begin) == '/');

  // What rules rewrite is canonical, and rewritten to itself.
  static const auto rules =
      kith::text::UrlRules::of_valid("common\nnames\nslash\nwww\nhttps\nparameter a*");
  Url rewritten = url;
  rules.apply(rewritten);
  KITH_CHECK(kith::text::parse_url(rewritten.href, nullptr, again));
  KITH_CHECK(again.href == rewritten.href && again.path_begin == rewritten.path_begin);
  rules.apply(again);
  KITH_CHECK(again.href == rewritten.href);

  std::string key;
  std::string back;
  kith::text::surt_of_url(url.href, key);
  kith::text::url_of_surt(key, back);
  KITH_CHECK(back == url.href);
  kith::text::surt_of_url(input, key);
  kith::text::url_of_surt(input, back);
  return 0;
}
