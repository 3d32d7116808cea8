#include "run/page_filter.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include "base/bytes.h"
#include "base/dates.h"
#include "run/pages.h"
#include "run/time_range.h"
#include "text/url/url.h"

namespace kith::run {
namespace {

constexpr std::array<std::string_view, 7> field_names = {"host",     "domain", "url", "type",
                                                         "language", "date",   "size"};

Error wrong(std::string why) {
  return {ErrorKind::usage, std::move(why)};
}

// The canonical form of a host as a user writes it.
Result<std::string> read_host(const std::string& value) {
  std::string host;
  const bool is_host = value.find_first_of("/:@?#*") == std::string::npos &&
                       text::append_canonical_host(value, host);
  if (!is_host) return wrong("is no host; write it as in example.org");
  return host;
}

// "text/html", "text/*".
bool is_media_type(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == 0 || slash == std::string_view::npos || slash + 1 == text.size()) return false;
  return text.find_first_of(" ;,", 0) == std::string_view::npos &&
         text.find('/', slash + 1) == std::string_view::npos;
}

Result<std::shared_ptr<const re2::RE2>> read_pattern(const std::string& value) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto pattern = std::make_shared<const re2::RE2>(value, options);
  if (!pattern->ok()) {
    return wrong(fmt::format("is no regular expression of RE2: {}", pattern->error()));
  }
  return pattern;
}

// A bound of a range of sizes; `missing` where there is none.
Result<int64_t> read_bound(std::string_view text, int64_t missing) {
  if (text.empty()) return missing;
  const auto size = parse_size(text);
  if (!size) return wrong("is no range of sizes; write it as in 1k..2M, 1k.. or ..2M");
  return static_cast<int64_t>(std::min<uint64_t>(*size, std::numeric_limits<int64_t>::max() - 1));
}

}  // namespace

struct PageFilter::Facts {
  Facts(const crawl::Page& of, std::optional<text::Language> of_all, const text::UrlRules& rules)
      : page(of), language(of_all), is_url(text::parse_url(of.url, nullptr, url)) {
    if (is_url) rules.apply(url);
  }

  std::string_view address() const { return is_url ? std::string_view(url.href) : page.url; }
  std::string_view host() const { return is_url ? text::host_of(url.href) : std::string_view(); }
  std::string type() const {
    if (!page.media_type.empty()) return to_ascii_lower(page.media_type);
    return page.kind == crawl::PageKind::text ? "text/plain" : "text/html";
  }
  text::Language page_language() {
    if (!language) {
      PageText reader;
      const text::HtmlText& read = reader.read(page);
      language = text::detect_language(read.language, read.text);
    }
    return *language;
  }

  const crawl::Page& page;
  std::optional<text::Language> language;
  text::Url url;
  bool is_url;
};

Result<PageFilter> PageFilter::parse(const ReadOptions& options) {
  PageFilter filter;
  filter.language_ = text::language_of_tag(options.language);
  filter.url_rules_ = text::UrlRules::of_valid(options.url_rules);
  for (const std::string& text : options.include) {
    KITH_ASSIGN(Filter one, parse_one("include", text));
    filter.include_.push_back(std::move(one));
  }
  std::ranges::stable_sort(filter.include_, {}, &Filter::field);
  for (const std::string& text : options.exclude) {
    KITH_ASSIGN(Filter one, parse_one("exclude", text));
    filter.exclude_.push_back(std::move(one));
  }
  return filter;
}

Result<PageFilter::Filter> PageFilter::parse_one(std::string_view option, const std::string& text) {
  const size_t colon = text.find(':');
  const std::string_view name = std::string_view(text).substr(0, std::min(colon, text.size()));
  const auto field = std::ranges::find(field_names, name);
  if (colon == std::string::npos || field == field_names.end()) {
    return wrong(fmt::format("{} = {}: must be FIELD:VALUE, where FIELD is one of {}", option, text,
                             fmt::join(field_names, ", ")));
  }
  Filter filter;
  filter.field = static_cast<Field>(field - field_names.begin());
  if (const Status status = read_value(filter, text.substr(colon + 1)); !status) {
    return wrong(fmt::format("{} = {}: {}", option, text, status.error().message));
  }
  return filter;
}

Status PageFilter::read_value(Filter& filter, const std::string& value) {
  if (value.empty()) return wrong("has no value");
  switch (filter.field) {
    case Field::host:
    case Field::domain: {
      KITH_ASSIGN(filter.text, read_host(value));
      return Status::ok();
    }
    case Field::url: {
      KITH_ASSIGN(filter.pattern, read_pattern(value));
      return Status::ok();
    }
    case Field::type:
      if (!is_media_type(value))
        return wrong("is no media type; write it as in text/html or text/*");
      filter.text = to_ascii_lower(value);
      return Status::ok();
    case Field::language: {
      const auto language = text::language_of_tag(value);
      if (!language && value != "other") {
        return wrong(
            "is no language that kith knows; name one by its tag or its English name, as "
            "in de or german, or all others by other");
      }
      filter.language = language.value_or(text::Language::other);
      return Status::ok();
    }
    case Field::date: {
      const auto range = parse_time_range(value);
      if (!range) {
        return wrong(
            "is no date or range of dates; write it as in 2020, 2020-03..2021-06-15 or "
            "2020..");
      }
      std::tie(filter.from, filter.end) = *range;
      return Status::ok();
    }
    case Field::size: {
      const size_t dots = value.find("..");
      const std::string_view all(value);
      KITH_ASSIGN(filter.from, read_bound(all.substr(0, std::min(dots, all.size())), 0));
      constexpr int64_t most = std::numeric_limits<int64_t>::max() - 1;
      const bool is_range = dots != std::string::npos;
      if (is_range && value.size() == 2) return wrong("has no bound");
      KITH_ASSIGN(filter.end, is_range ? read_bound(all.substr(dots + 2), most) : filter.from);
      if (filter.end < filter.from) return wrong("ends before it begins");
      ++filter.end;
      return Status::ok();
    }
    case Field::count_:
      break;
  }
  return Status::ok();
}

// Whether the field says anything of the page.
bool PageFilter::has(const Facts& facts, Field field) {
  if (facts.page.kind != crawl::PageKind::redirect) return true;
  return field == Field::host || field == Field::domain || field == Field::url ||
         field == Field::date;
}

bool PageFilter::matches(const Filter& filter, Facts& facts) {
  switch (filter.field) {
    case Field::host:
      return facts.host() == filter.text;
    case Field::domain: {
      const std::string_view host = facts.host();
      if (!host.ends_with(filter.text)) return false;
      return host.size() == filter.text.size() || host[host.size() - filter.text.size() - 1] == '.';
    }
    case Field::url: {
      const std::string_view url = facts.address();
      return re2::RE2::PartialMatch(re2::StringPiece(url.data(), url.size()), *filter.pattern);
    }
    case Field::type: {
      const std::string type = facts.type();
      if (!filter.text.ends_with("/*")) return type == filter.text;
      return type.starts_with(std::string_view(filter.text).substr(0, filter.text.size() - 1));
    }
    case Field::language:
      return facts.page_language() == filter.language;
    case Field::date:
      return facts.page.time != no_time && facts.page.time >= filter.from &&
             facts.page.time < filter.end;
    case Field::size: {
      const auto size = static_cast<int64_t>(facts.page.body.size());
      return size >= filter.from && size < filter.end;
    }
    case Field::count_:
      break;
  }
  return false;
}

bool PageFilter::takes(const crawl::Page& page) const {
  if (takes_all() || page.kind == crawl::PageKind::removal) return true;
  Facts facts(page, language_, url_rules_);
  const auto matches_page = [&](const Filter& filter) {
    return has(facts, filter.field) && matches(filter, facts);
  };
  for (auto begin = include_.begin(); begin != include_.end();) {
    const auto end = std::find_if(
        begin, include_.end(), [&](const Filter& filter) { return filter.field != begin->field; });
    if (has(facts, begin->field) && std::none_of(begin, end, matches_page)) return false;
    begin = end;
  }
  return std::ranges::none_of(exclude_, matches_page);
}

}  // namespace kith::run
