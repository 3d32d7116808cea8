// Which pages of a crawl are read: --include and --exclude.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kith/options.h"
#include "kith/status.h"

#include "crawl/read/page.h"
#include "text/url/url_rules.h"
#include "text/words/language.h"

namespace re2 {
class RE2;
}

namespace kith::run {

// A page is taken unless a filter of `exclude` matches it, and if, of every field that `include`
// names, a filter does. docs/formats/filters.md has the fields.
class PageFilter {
 public:
  // Those of `options`, their language and rules of spelling; they are not needed afterwards. An
  // error of kind usage names the first filter that says nothing.
  static Result<PageFilter> parse(const ReadOptions& options);

  bool takes_all() const { return include_.empty() && exclude_.empty(); }

  // Of a redirect only what it has counts: its URL and date. page.url is as the record spells it.
  // Thread-safe.
  bool takes(const crawl::Page& page) const;

 private:
  // In the order of docs/formats/filters.md.
  enum class Field : uint8_t { host, domain, url, type, language, date, size, count_ };

  struct Filter {
    Field field = Field::host;
    std::string text;                         // of host, domain and type, in lower case
    std::shared_ptr<const re2::RE2> pattern;  // of url
    text::Language language = {};             // of language
    int64_t from = 0;                         // of date (ms since 1970) and size: the first
    int64_t end = 0;                          // and the one behind the last
  };
  // What is known of a page, and found out when it is first asked for.
  struct Facts;

  static Result<Filter> parse_one(std::string_view option, const std::string& text);
  static Status read_value(Filter& filter, const std::string& value);
  static bool has(const Facts& facts, Field field);
  static bool matches(const Filter& filter, Facts& facts);

  std::vector<Filter> include_;  // by field
  std::vector<Filter> exclude_;
  std::optional<text::Language> language_;  // of every page
  text::UrlRules url_rules_;
};

}  // namespace kith::run
