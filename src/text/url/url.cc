#include "text/url/url.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

#include "base/bytes.h"

namespace kith::text {
namespace {

// What a byte does to a path or a query: copied, percent-encoded, or the end of a run.
enum class ByteRole : uint8_t { copy, encode, slash, end };
using ByteRoles = std::array<ByteRole, 256>;

// C0 controls, DEL and bytes outside ASCII are always encoded, and so are those of `encoded`.
constexpr ByteRoles make_roles(std::string_view encoded, std::string_view ends,
                               std::string_view slashes) {
  ByteRoles roles{};
  for (size_t byte = 0; byte < 256; ++byte) {
    if (byte <= 0x20 || byte >= 0x7f) roles[byte] = ByteRole::encode;
  }
  for (const char c : encoded) roles[static_cast<uint8_t>(c)] = ByteRole::encode;
  for (const char c : ends) roles[static_cast<uint8_t>(c)] = ByteRole::end;
  for (const char c : slashes) roles[static_cast<uint8_t>(c)] = ByteRole::slash;
  return roles;
}

// The "path percent-encode set" and the "special-query percent-encode set".
constexpr ByteRoles path_roles = make_roles("\"<>^`{}", "?#", "/\\");
constexpr ByteRoles query_roles = make_roles("\"<>'", "#", "");

ByteRole role_of(const ByteRoles& roles, char c) {
  return roles[static_cast<uint8_t>(c)];
}

bool is_slash(char c) {
  return c == '/' || c == '\\';
}

void append_escaped(char c, std::string& href) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  const auto byte = static_cast<uint8_t>(c);
  const std::array<char, 3> escape = {'%', digits[byte >> 4], digits[byte & 15]};
  href.append(escape.data(), escape.size());
}

// Appends the head of `input` up to a byte that is neither copied nor encoded, and returns
// its length.
size_t append_encoded(std::string_view input, const ByteRoles& roles, std::string& href) {
  size_t i = 0;
  while (i < input.size()) {
    const size_t run_begin = i;
    while (i < input.size() && role_of(roles, input[i]) == ByteRole::copy) ++i;
    href.append(input.data() + run_begin, i - run_begin);
    if (i == input.size() || role_of(roles, input[i]) != ByteRole::encode) break;
    append_escaped(input[i++], href);
  }
  return i;
}

bool is_single_dot(std::string_view segment) {
  return segment == "." || equals_ignoring_case(segment, "%2e");
}

bool is_double_dot(std::string_view segment) {
  switch (segment.size()) {
    case 2:
      return segment == "..";
    case 4:
      return equals_ignoring_case(segment, ".%2e") || equals_ignoring_case(segment, "%2e.");
    case 6:
      return equals_ignoring_case(segment, "%2e%2e");
    default:
      return false;
  }
}

// The "path state": appends "/segment" for each segment of `input` to `href`, whose path so
// far begins at `path_begin`, and returns what follows the path. The first segment begins at
// the front of `input`. Dot segments are written first and then taken back: they are rare.
std::string_view append_path(std::string_view input, size_t path_begin, std::string& href) {
  for (;;) {
    const size_t segment_begin = href.size() + 1;
    href.push_back('/');
    input.remove_prefix(append_encoded(input, path_roles, href));
    const bool is_last = input.empty() || !is_slash(input.front());

    const char* segment_bytes = href.data() + segment_begin;
    const size_t segment_size = href.size() - segment_begin;
    if (segment_size > 0 && segment_size <= 6 && (*segment_bytes == '.' || *segment_bytes == '%')) {
      const std::string_view segment(segment_bytes, segment_size);
      const bool goes_up = is_double_dot(segment);
      if (goes_up || is_single_dot(segment)) {
        href.resize(segment_begin - 1);
        if (goes_up && href.size() > path_begin) href.resize(href.rfind('/'));
        if (is_last) href.push_back('/');
      }
    }
    if (is_last) return input;
    input.remove_prefix(1);
  }
}

// The "query state" and after it the fragment, which is dropped. `input` is empty or begins
// with '?' or '#'.
void append_query(std::string_view input, Url& out) {
  out.query_begin = static_cast<uint32_t>(out.href.size());
  if (!input.starts_with('?')) return;
  out.href.push_back('?');
  append_encoded(input.substr(1), query_roles, out.href);
}

// "port state". Appends nothing for an empty port and for the scheme's default.
bool append_port(std::string_view digits, bool is_https, std::string& href) {
  if (!std::ranges::all_of(digits, is_ascii_digit)) return false;
  if (digits.empty()) return true;
  uint32_t port = 0;
  for (const char c : digits) {
    port = port * 10 + static_cast<uint32_t>(c - '0');
    if (port > 65535) return false;
  }
  if (port == (is_https ? 443u : 80u)) return true;
  std::array<char, 5> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), port).ptr;
  href.push_back(':');
  href.append(text.data(), end);
  return true;
}

// Where the host ends and the port begins: the first ':' outside brackets.
size_t host_length(std::string_view authority) {
  bool in_brackets = false;
  for (size_t i = 0; i < authority.size(); ++i) {
    if (authority[i] == '[') in_brackets = true;
    if (authority[i] == ']') in_brackets = false;
    if (authority[i] == ':' && !in_brackets) return i;
  }
  return authority.size();
}

// "authority state" to the end; `input` follows the slashes. User-info is dropped.
bool parse_authority(std::string_view input, bool is_https, Url& out) {
  const size_t authority_size = std::min(input.find_first_of("/\\?#"), input.size());
  std::string_view authority = input.substr(0, authority_size);
  authority.remove_prefix(authority.rfind('@') + 1);
  input.remove_prefix(authority_size);

  out.href.assign(is_https ? "https://" : "http://");
  out.host_begin = static_cast<uint32_t>(out.href.size());
  const size_t host_size = host_length(authority);
  if (!append_canonical_host(authority.substr(0, host_size), out.href)) return false;
  out.host_end = static_cast<uint32_t>(out.href.size());
  if (host_size < authority.size() &&
      !append_port(authority.substr(host_size + 1), is_https, out.href)) {
    return false;
  }
  out.path_begin = static_cast<uint32_t>(out.href.size());
  if (!input.empty() && is_slash(input.front())) input.remove_prefix(1);
  append_query(append_path(input, out.path_begin, out.href), out);
  return true;
}

std::string_view without_leading_slashes(std::string_view input) {
  while (!input.empty() && is_slash(input.front())) input.remove_prefix(1);
  return input;
}

// "relative state".
bool parse_relative(std::string_view input, const Url& base, Url& out) {
  if (input.size() >= 2 && is_slash(input[0]) && is_slash(input[1])) {
    return parse_authority(without_leading_slashes(input), base.href[4] == 's', out);
  }
  out.host_begin = base.host_begin;
  out.host_end = base.host_end;
  out.path_begin = base.path_begin;
  const bool keeps_path = input.empty() || input.front() == '?' || input.front() == '#';
  if (keeps_path) {
    const bool keeps_query = input.empty() || input.front() == '#';
    out.href.assign(base.href, 0, keeps_query ? base.href.size() : base.query_begin);
    append_query(input, out);
    out.query_begin = base.query_begin;
    return true;
  }
  if (is_slash(input.front())) {
    out.href.assign(base.href, 0, base.path_begin);
    input.remove_prefix(1);
  } else {
    out.href.assign(base.href, 0, base.href.rfind('/', base.query_begin - 1));
  }
  append_query(append_path(input, out.path_begin, out.href), out);
  return true;
}

// The length of a scheme at the front of `input`, its colon not counted; 0 when there is none.
size_t scheme_length(std::string_view input) {
  if (input.empty() || !is_ascii_alpha(input.front())) return 0;
  for (size_t i = 1; i < input.size(); ++i) {
    const char c = input[i];
    if (c == ':') return i;
    if (!is_ascii_alpha(c) && !is_ascii_digit(c) && c != '+' && c != '-' && c != '.') return 0;
  }
  return 0;
}

// "scheme start state" and on. `input` is trimmed and without tabs and newlines.
bool parse_cleaned(std::string_view input, const Url* base, Url& out) {
  const size_t scheme_size = scheme_length(input);
  if (scheme_size == 0) return base != nullptr && parse_relative(input, *base, out);

  const std::string_view scheme = input.substr(0, scheme_size);
  const bool is_https = equals_ignoring_case(scheme, "https");
  if (!is_https && !equals_ignoring_case(scheme, "http")) return false;
  input.remove_prefix(scheme_size + 1);
  // "special relative or authority state": "http:page" is relative to a base of its scheme.
  const bool has_authority = input.size() >= 2 && input[0] == '/' && input[1] == '/';
  if (base != nullptr && !has_authority && is_https == (base->href[4] == 's')) {
    return parse_relative(input, *base, out);
  }
  return parse_authority(without_leading_slashes(input), is_https, out);
}

std::string_view trim_controls(std::string_view input) {
  const auto is_control = [](char c) { return static_cast<uint8_t>(c) <= 0x20; };
  while (!input.empty() && is_control(input.front())) input.remove_prefix(1);
  while (!input.empty() && is_control(input.back())) input.remove_suffix(1);
  return input;
}

}  // namespace

bool parse_url(std::string_view input, const Url* base, Url& out) {
  input = trim_controls(input);
  if (base != nullptr && base->host_end == 0) base = nullptr;  // a name
  const auto is_removed = [](char c) { return c == '\t' || c == '\n' || c == '\r'; };
  std::string cleaned;
  if (std::ranges::any_of(input, is_removed)) {
    cleaned = input;
    std::erase_if(cleaned, is_removed);
    input = cleaned;
  }
  // The first '#' begins the fragment wherever it stands.
  if (input.size() > max_url_bytes) input = input.substr(0, input.find('#'));
  return input.size() <= max_url_bytes && parse_cleaned(input, base, out) &&
         out.href.size() <= max_url_bytes;
}

namespace {

// Of a canonical URL; 0 of a name.
size_t scheme_size_of(std::string_view url) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (url.starts_with(scheme)) return scheme.size();
  }
  return 0;
}

}  // namespace

bool parse_url_or_name(std::string_view input, Url& out) {
  if (parse_url(input, nullptr, out)) return true;
  if (input.empty() || input.size() > max_url_bytes || scheme_size_of(input) > 0) return false;
  out.href = input;
  out.host_begin = out.host_end = out.path_begin = 0;
  out.query_begin = static_cast<uint32_t>(input.size());
  return true;
}

std::string_view host_of(std::string_view canonical_url) {
  const size_t scheme_size = scheme_size_of(canonical_url);
  if (scheme_size == 0) return {};
  const std::string_view rest = canonical_url.substr(scheme_size);
  return rest.substr(0, host_length(rest.substr(0, rest.find('/'))));
}

// The sort key of a URL; its format stands in url.h.
namespace {

constexpr char host_end_mark = '\t';
constexpr char label_mark = ' ';
constexpr char http_mark = ' ';

// An IPv6 address stands in brackets. An IPv4 address is the only host whose last label begins
// with a digit and is all digits (URL standard, "ends in a number checker").
bool is_address(std::string_view host) {
  if (host.starts_with('[')) return true;
  const std::string_view last = host.substr(host.rfind('.') + 1);
  return !last.empty() && last.find_first_not_of("0123456789") == std::string_view::npos;
}

// Appends the parts of `list` in reverse order.
void append_reversed(std::string_view list, char old_mark, char new_mark, std::string& out) {
  for (;;) {
    const size_t mark = list.rfind(old_mark);
    if (mark == std::string_view::npos) break;
    out.append(list.substr(mark + 1));
    out.push_back(new_mark);
    list = list.substr(0, mark);
  }
  out.append(list);
}

}  // namespace

void surt_of_url(std::string_view canonical_url, std::string& key) {
  const size_t scheme_size = scheme_size_of(canonical_url);
  if (scheme_size == 0) {
    key.assign(1, host_end_mark).append(canonical_url);
    return;
  }
  const std::string_view host = host_of(canonical_url);
  const bool is_https = canonical_url.starts_with("https:");
  key.clear();
  if (is_address(host)) {
    key.append(host);
  } else {
    append_reversed(host, '.', label_mark, key);
  }
  key.push_back(host_end_mark);
  key.append(canonical_url.substr(std::min(scheme_size + host.size(), canonical_url.size())));
  if (!is_https) key.push_back(http_mark);
}

void url_of_surt(std::string_view key, std::string& canonical_url) {
  if (key.starts_with(host_end_mark)) {
    canonical_url.assign(key.substr(1));
    return;
  }
  const bool is_http = key.ends_with(http_mark);
  if (is_http) key.remove_suffix(1);
  const size_t host_size = std::min(key.find(host_end_mark), key.size());
  const std::string_view host = key.substr(0, host_size);
  canonical_url.assign(is_http ? "http://" : "https://");
  if (host.starts_with('[') || host.find('.') != std::string_view::npos) {
    canonical_url.append(host);
  } else {
    append_reversed(host, label_mark, '.', canonical_url);
  }
  canonical_url.append(key.substr(std::min(host_size + 1, key.size())));
}

}  // namespace kith::text
