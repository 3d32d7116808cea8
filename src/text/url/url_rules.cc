#include "text/url/url_rules.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "text/url/replay.h"

namespace kith::text {
namespace {

// Parameters of analytics and advertisements, by which no server chooses a page.
constexpr std::array<std::string_view, 27> tracking_names = {
    "utm_*",  "gclid",   "gclsrc",     "dclid",       "gbraid",  "wbraid",  "srsltid",
    "_ga",    "_gl",     "fbclid",     "igshid",      "igsh",    "msclkid", "yclid",
    "ymclid", "twclid",  "ttclid",     "li_fat_id",   "mc_cid",  "mc_eid",  "_hsenc",
    "_hsmi",  "mkt_tok", "oly_enc_id", "oly_anon_id", "vero_id", "pk_*"};

// Parameters of queries, or of the last part of a path, that name a session.
constexpr std::array<std::string_view, 9> session_names = {
    "jsessionid", "phpsessid", "aspsessionid*", "sessionid", "session_id",
    "zenid",      "cfid",      "cftoken",       "osCsid"};

// Whether a name is that of a rule, which may end in *, in any case.
bool is_named(std::string_view name, std::string_view rule) {
  if (!rule.ends_with('*')) return equals_ignoring_case(name, rule);
  return starts_with_ignoring_case(name, rule.substr(0, rule.size() - 1));
}

template <class Names>
bool is_any(std::string_view name, const Names& rules) {
  return std::ranges::any_of(rules, [&](std::string_view rule) { return is_named(name, rule); });
}

std::string_view name_of(std::string_view parameter) {
  return parameter.substr(0, parameter.find('='));
}

// "sid" has many meanings; with 32 letters and digits it is a session of PHP.
bool is_session(std::string_view parameter) {
  const std::string_view name = name_of(parameter);
  if (is_any(name, session_names)) return true;
  const std::string_view value = parameter.substr(std::min(name.size() + 1, parameter.size()));
  return equals_ignoring_case(name, "sid") && value.size() == 32 &&
         std::ranges::all_of(value, [](char c) { return is_ascii_alpha(c) || is_ascii_digit(c); });
}

// "(S(4f3k...))": a session of ASP.NET as a part of the path.
bool is_session_segment(std::string_view segment) {
  if (segment.size() < 6 || !segment.starts_with('(') || !segment.ends_with("))")) return false;
  const char kind = segment[1];
  return (kind == 'S' || kind == 'A' || kind == 'F') && segment[2] == '(' &&
         segment.find('/') == std::string_view::npos;
}

int value_of_hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = ascii_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool is_unreserved(char c) {
  return is_ascii_alpha(c) || is_ascii_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

// RFC 3986, 6.2.2: hexadecimal digits in upper case, and no escapes of unreserved characters.
std::string with_plain_escapes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '%' && i + 2 < text.size() &&
                           value_of_hex(text[i + 1]) >= 0 && value_of_hex(text[i + 2]) >= 0;
    if (!is_escape) {
      out.push_back(text[i]);
      continue;
    }
    const int byte = value_of_hex(text[i + 1]) * 16 + value_of_hex(text[i + 2]);
    // Behind a percent sign that begins no escape it could become one.
    const size_t n = out.size();
    const bool is_behind_sign = (n > 0 && out[n - 1] == '%') || (n > 1 && out[n - 2] == '%');
    if (byte < 0x80 && is_unreserved(static_cast<char>(byte)) && !is_behind_sign) {
      out.push_back(static_cast<char>(byte));
    } else {
      constexpr std::string_view digits = "0123456789ABCDEF";
      out.push_back('%');
      out.push_back(digits[static_cast<size_t>(byte / 16)]);
      out.push_back(digits[static_cast<size_t>(byte % 16)]);
    }
    i += 2;
  }
  return out;
}

// A part of a path with its parameters: "/b;v=2;jsessionid=1F".
std::string without_session_parameters(std::string_view part) {
  size_t end = std::min(part.find(';'), part.size());
  std::string out(part.substr(0, end));
  while (end < part.size()) {
    part.remove_prefix(end + 1);
    end = std::min(part.find(';'), part.size());
    const std::string_view parameter = part.substr(0, end);
    if (!is_session(parameter)) out.append(";").append(parameter);
  }
  return out;
}

std::string without_sessions(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    // A part begins with its slash.
    const size_t end = std::min(path.find('/', 1), path.size());
    const std::string part = without_session_parameters(path.substr(0, end));
    path.remove_prefix(end);
    if (!is_session_segment(std::string_view(part).substr(1))) {
      out += part;
    } else if (path.empty()) {
      out.push_back('/');
    }
  }
  return out;
}

// Of "names" in FILE, in the order of UrlRules::Rule.
constexpr std::array<std::string_view, 10> rule_names = {"escapes", "sessions", "tracking", "order",
                                                         "empty",   "names",    "slash",    "www",
                                                         "https",   "unwrap"};
constexpr size_t common_rules = 5;

// What an archive replays may be an archive's page, too.
void unwrap(Url& url) {
  Url inside;
  for (std::string text = unwrap_replay(url.href);
       !text.empty() && parse_url(text, nullptr, inside); text = unwrap_replay(url.href)) {
    std::swap(url, inside);
  }
}

}  // namespace

Result<UrlRules> UrlRules::parse(std::string_view text) {
  UrlRules rules;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line =
        trim(text.substr(0, end).substr(0, text.substr(0, end).find('#')));
    if (!line.empty()) KITH_TRY(rules.add_line(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return rules;
}

Status UrlRules::add_line(std::string_view line) {
  constexpr std::string_view parameter = "parameter ";
  if (line == "common") {
    for (size_t i = 0; i < common_rules; ++i) add(static_cast<Rule>(i));
    return Status::ok();
  }
  const auto* const named = std::ranges::find(rule_names, line);
  if (named != rule_names.end()) {
    add(static_cast<Rule>(named - rule_names.begin()));
    return Status::ok();
  }
  const std::string_view name =
      line.starts_with(parameter) ? trim(line.substr(parameter.size())) : std::string_view();
  if (name.empty() || name == "*" || name.find_first_of(" =&?") != std::string_view::npos) {
    return Error{ErrorKind::usage,
                 fmt::format("url_rules = {}: is no rule; there are common, {}, and parameter NAME",
                             line, fmt::join(rule_names, ", "))};
  }
  parameters_.emplace_back(name);
  return Status::ok();
}

bool UrlRules::drops(std::string_view parameter) const {
  const std::string_view name = name_of(parameter);
  return (has(Rule::empty) && parameter.empty()) || is_any(name, parameters_) ||
         (has(Rule::tracking) && is_any(name, tracking_names)) ||
         (has(Rule::sessions) && is_session(parameter));
}

std::string UrlRules::path_of(std::string_view path) const {
  std::string out(path);
  if (has(Rule::escapes)) out = with_plain_escapes(out);
  if (has(Rule::sessions)) out = without_sessions(out);
  while (has(Rule::slash) && out.size() > 1 && out.ends_with('/')) out.pop_back();
  return out;
}

// query: with its question mark, or empty.
std::string UrlRules::query_of(std::string_view query) const {
  if (query.empty()) return {};
  std::vector<std::string> kept;
  std::string_view rest = query.substr(1);
  const bool is_bare = rest.empty();
  while (!is_bare) {
    const size_t end = std::min(rest.find('&'), rest.size());
    std::string parameter(rest.substr(0, end));
    if (has(Rule::escapes)) parameter = with_plain_escapes(parameter);
    if (has(Rule::names)) {
      const size_t name = name_of(parameter).size();
      parameter = to_ascii_lower(name_of(parameter)) + parameter.substr(name);
    }
    if (!drops(parameter)) kept.push_back(std::move(parameter));
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  if (has(Rule::order))
    std::ranges::stable_sort(kept, {}, [](const std::string& p) { return name_of(p); });
  if (is_bare) return has(Rule::empty) ? "" : "?";
  if (kept.empty()) return {};
  return fmt::format("?{}", fmt::join(kept, "&"));
}

void UrlRules::apply(Url& url) const {
  if (empty()) return;
  if (has(Rule::unwrap)) unwrap(url);
  const std::string_view href = url.href;
  const size_t query_begin = std::min<size_t>(url.query_begin, href.size());
  std::string scheme(href.substr(0, url.host_begin));
  std::string_view host = href.substr(url.host_begin, url.host_end - url.host_begin);
  const std::string_view port = href.substr(url.host_end, url.path_begin - url.host_end);
  if (has(Rule::https) && scheme == "http://" && port.empty()) scheme = "https://";
  constexpr std::string_view prefix = "www.";
  while (has(Rule::www) && host.starts_with(prefix) &&
         host.find('.', prefix.size()) != std::string_view::npos) {
    host.remove_prefix(prefix.size());
  }
  const std::string text =
      fmt::format("{}{}{}{}{}", scheme, host, port,
                  path_of(href.substr(url.path_begin, query_begin - url.path_begin)),
                  query_of(href.substr(query_begin)));
  Url out;
  // What the parser reads otherwise, such as "/." without its session, stays.
  if (parse_url(text, nullptr, out) && out.href == text) url = std::move(out);
}

}  // namespace kith::text
