#include "text/html/attributes.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/bytes.h"
#include "text/html/scan.h"
#include "text/words/letters.h"

namespace kith::text {
namespace {

struct NamedReference {
  std::string_view name;  // without '&' and ';'
  std::string_view utf8;
  bool may_be_bare;  // ';' may be left out
};

constexpr NamedReference named_references[] = {
#include "text/html/entities.inc"
};

constexpr size_t longest_name = 31;
constexpr size_t longest_bare_name = 6;

// A hash table with linear probing: slot -> 1 + index, 0 when empty.
constexpr size_t slot_count = 8192;
static_assert(std::size(named_references) * 3 < slot_count);

constexpr size_t slot_of(std::string_view name) {
  uint32_t hash = 2166136261u;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<uint8_t>(c)) * 16777619u;
  return (hash ^ hash >> 16) % slot_count;
}

constexpr auto slots = [] {
  std::array<uint16_t, slot_count> table = {};
  uint16_t number = 0;
  for (const NamedReference& reference : named_references) {
    size_t slot = slot_of(reference.name);
    while (table[slot] != 0) slot = (slot + 1) % slot_count;
    table[slot] = ++number;
  }
  return table;
}();

const NamedReference* find_name(std::string_view name) {
  for (size_t slot = slot_of(name); slots[slot] != 0; slot = (slot + 1) % slot_count) {
    const NamedReference& reference = named_references[slots[slot] - 1];
    if (reference.name == name) return &reference;
  }
  return nullptr;
}

bool is_ascii_alphanumeric(char c) {
  return is_ascii_alpha(c) || is_ascii_digit(c);
}

Reference read_named(const char* at, const char* end, ReferencePlace place) {
  const char* const name = at + 1;
  const char* const limit = name + std::min<ptrdiff_t>(end - name, longest_name + 1);
  const char* after = name;
  while (after < limit && is_ascii_alphanumeric(*after)) ++after;
  const auto size = static_cast<size_t>(after - name);
  if (after < limit && *after == ';') {
    const NamedReference* const found = find_name({name, size});
    if (found != nullptr) return {static_cast<uint32_t>(size + 2), found->utf8};
  }
  for (size_t bare = std::min(size, longest_bare_name); bare >= 2; --bare) {
    const NamedReference* const found = find_name({name, bare});
    if (found == nullptr || !found->may_be_bare) continue;
    const char* const next = name + bare;
    if (place == ReferencePlace::attribute && next < end &&
        (*next == '=' || is_ascii_alphanumeric(*next))) {
      return {};
    }
    return {static_cast<uint32_t>(bare + 1), found->utf8};
  }
  return {};
}

// 0x80 to 0x9f stand for windows-1252 (13.2.5.80); 0 where they stand for themselves.
constexpr std::array<char16_t, 32> windows_1252 = {
    0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

char32_t character_of(uint32_t number) {
  if (number >= 0x80 && number < 0xa0 && windows_1252[number - 0x80] != 0) {
    return windows_1252[number - 0x80];
  }
  const bool is_scalar = number != 0 && number < 0x110000 && (number < 0xd800 || number > 0xdfff);
  return is_scalar ? number : U'\xfffd';
}

// The value of a digit, or a number that is no digit in any base.
unsigned digit_of(char c) {
  if (is_ascii_digit(c)) return static_cast<unsigned>(c - '0');
  const char lower = ascii_lower(c);
  return lower >= 'a' && lower <= 'f' ? static_cast<unsigned>(lower - 'a' + 10) : 255;
}

Reference read_numeric(const char* at, const char* end, ReferenceStorage& storage) {
  const char* digit = at + 2;
  unsigned base = 10;
  if (digit < end && ascii_lower(*digit) == 'x') {
    base = 16;
    ++digit;
  }
  const char* const first = digit;
  uint32_t number = 0;
  for (; digit < end && digit_of(*digit) < base; ++digit) {
    number = std::min(number * base + digit_of(*digit), uint32_t{0x110000});
  }
  if (digit == first) return {};
  if (digit < end && *digit == ';') ++digit;
  const size_t size = encode_utf8(character_of(number), storage.bytes);
  return {static_cast<uint32_t>(digit - at), {storage.bytes, size}};
}

bool starts_with(const char* at, const char* end, std::string_view prefix) {
  return std::string_view(at, static_cast<size_t>(end - at)).starts_with(prefix);
}

}  // namespace

Reference read_reference(const char* at, const char* end, ReferencePlace place,
                         ReferenceStorage& storage) {
  if (end - at < 3) return {};
  if (at[1] == '#') return read_numeric(at, end, storage);
  // The three that escape markup are most of all references.
  if (starts_with(at, end, "&lt;")) return {4, "<"};
  if (starts_with(at, end, "&gt;")) return {4, ">"};
  if (starts_with(at, end, "&amp;")) return {5, "&"};
  return read_named(at, end, place);
}

namespace {

// Calls put(piece) for the pieces of an attribute's value, in order, until it returns false.
template <class Put>
void for_each_piece(std::string_view raw, const Put& put) {
  const char* at = raw.data();
  const char* const end = at + raw.size();
  while (at < end) {
    const char* const special = find_any<'&', '\r', '\0'>(at, end);
    if (!put(std::string_view(at, static_cast<size_t>(special - at)))) return;
    if (special == end) return;
    at = special + 1;
    ReferenceStorage storage;
    std::string_view piece = "&";
    if (*special == '\0') {
      piece = utf8_replacement;
    } else if (*special == '\r') {
      piece = "\n";
      if (at < end && *at == '\n') ++at;
    } else {
      const Reference reference = read_reference(special, end, ReferencePlace::attribute, storage);
      if (reference.length > 0) {
        piece = reference.utf8;
        at = special + reference.length;
      }
    }
    if (!put(piece)) return;
  }
}

}  // namespace

void append_attribute_value(std::string_view raw, std::string& out) {
  for_each_piece(raw, [&](std::string_view piece) {
    out += piece;
    return true;
  });
}

void append_address(std::string_view raw, size_t most, std::string& out) {
  if (raw.size() <= most) return append_attribute_value(raw, out);
  const size_t begin = out.size();
  for_each_piece(raw, [&](std::string_view piece) {
    for (const char c : piece) {
      if (c == '\t' || c == '\n' || c == '\r') continue;
      // Before the address, and perhaps after it.
      const bool is_control = static_cast<uint8_t>(c) <= 0x20;
      const size_t size = out.size() - begin;
      if (is_control && (size == 0 || size > most)) continue;
      out += c;
      if (!is_control && size >= most) return false;
    }
    return true;
  });
}

namespace {

std::string_view view(const char* begin, const char* end) {
  return {begin, static_cast<size_t>(end - begin)};
}

const char* skip_blanks(const char* at, const char* end) {
  while (at < end && is_ascii_blank(*at)) ++at;
  return at;
}

// Behind a value and its quotes; `at` is behind '=' and blanks.
const char* read_value(const char* at, const char* end, std::string_view& value) {
  if (at < end && (*at == '"' || *at == '\'')) {
    const char* const close = *at == '"' ? find_any<'"'>(at + 1, end) : find_any<'\''>(at + 1, end);
    value = view(at + 1, close);
    return close < end ? close + 1 : end;
  }
  const char* const close = find_any<' ', '\t', '\n', '\r', '\f', '>'>(at, end);
  value = view(at, close);
  return close;
}

// The way of most attributes, ' name="value"' with a short name. Reads one at `at`, where
// `fast_bytes` can be read, and goes behind it; false when it is anything else.
constexpr ptrdiff_t fast_bytes = 32;
inline bool read_plain_attribute(const char*& at, const char* end, std::string_view& name,
                                 std::string_view& value) {
  const char* const begin = at + (*at == ' ' ? 1 : 0);
  const size_t size = predict<5, 4, 2>(name_bytes_in_block<'='>(begin));
  const char* const equals = begin + size;
  if (size == 0 || size == 16 || equals[0] != '=' || equals[1] != '"') return false;
  const char* const close = find_any<'"'>(equals + 2, end);
  if (close == end) return false;
  name = {begin, size};
  value = view(equals + 2, close);
  at = close + 1;
  return true;
}

// Calls on_attribute(name, value) for each; returns as TagRest::end.
template <class OnAttribute>
const char* walk_attributes(const char* at, const char* end, bool& is_self_closing,
                            OnAttribute on_attribute) {
  std::string_view attribute;
  std::string_view value;
  for (;;) {
    is_self_closing = false;
    if (end - at >= fast_bytes && read_plain_attribute(at, end, attribute, value)) {
      on_attribute(attribute, value);
      continue;
    }
    while (at < end && (is_ascii_blank(*at) || *at == '/')) {
      is_self_closing = *at == '/';
      ++at;
    }
    if (at == end) return nullptr;
    if (*at == '>') return at + 1;
    const char* const name = at;
    at = find_name_end<'='>(at + 1, end);  // the first byte belongs to the name, even '='
    attribute = view(name, at);
    at = skip_blanks(at, end);
    value = {};
    if (at < end && *at == '=') at = read_value(skip_blanks(at + 1, end), end, value);
    on_attribute(attribute, value);
  }
}

}  // namespace

TagRest read_attributes(const char* at, const char* end, std::string_view wanted) {
  TagRest rest;
  rest.end = walk_attributes(
      at, end, rest.is_self_closing, [&](std::string_view name, std::string_view value) {
        if (name.size() == wanted.size() && !rest.value && equals_ignoring_case(name, wanted)) {
          rest.value = value;
        }
      });
  return rest;
}

const char* read_all_attributes(const char* at, const char* end, const TakeAttribute& take) {
  bool is_self_closing = false;
  return walk_attributes(at, end, is_self_closing, take);
}

const char* skip_attributes(const char* at, const char* end) {
  bool is_self_closing = false;
  return walk_attributes(at, end, is_self_closing, [](std::string_view, std::string_view) {});
}

namespace {

// Reads the seconds at the front of `content`, which may have a fraction; false when there are
// none or too many.
bool read_delay(std::string_view& content) {
  content = trim_start(content);
  if (content.empty() || !(is_ascii_digit(content.front()) || content.front() == '.')) return false;
  unsigned seconds = 0;
  for (; !content.empty() && is_ascii_digit(content.front()); content.remove_prefix(1)) {
    seconds = std::min(1000u, seconds * 10 + static_cast<unsigned>(content.front() - '0'));
  }
  while (!content.empty() && (is_ascii_digit(content.front()) || content.front() == '.')) {
    content.remove_prefix(1);
  }
  return seconds <= longest_refresh_seconds;
}

// Drops "url =" from the front of `text`, if it is there.
std::string_view without_url_key(std::string_view text) {
  if (!starts_with_ignoring_case(text, "url")) return text;
  const std::string_view rest = trim_start(text.substr(3));
  return rest.starts_with('=') ? trim_start(rest.substr(1)) : text;
}

}  // namespace

std::optional<std::string_view> refresh_target(std::string_view content) {
  if (!read_delay(content)) return std::nullopt;
  const bool has_blank = !content.empty() && is_ascii_blank(content.front());
  content = trim_start(content);
  const bool has_separator = content.starts_with(';') || content.starts_with(',');
  if (!has_separator && !has_blank) return std::nullopt;
  if (has_separator) content = trim_start(content.substr(1));
  content = without_url_key(content);
  if (content.starts_with('"') || content.starts_with('\'')) {
    const char quote = content.front();
    content.remove_prefix(1);
    content = content.substr(0, content.find(quote));
  }
  content = trim(content);
  if (content.empty()) return std::nullopt;
  return content;
}

bool is_canonical(std::string_view rel) {
  while (!(rel = trim_start(rel)).empty()) {
    const auto end = std::ranges::find_if(rel, is_ascii_blank);
    const auto size = static_cast<size_t>(end - rel.begin());
    if (equals_ignoring_case(rel.substr(0, size), "canonical")) return true;
    rel.remove_prefix(size);
  }
  return false;
}

}  // namespace kith::text
