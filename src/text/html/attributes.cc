#include "text/html/attributes.h"

#include <cstddef>

#include "base/ascii.h"
#include "text/html/scan.h"

namespace kith::text {
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

const char* skip_attributes(const char* at, const char* end) {
  bool is_self_closing = false;
  return walk_attributes(at, end, is_self_closing, [](std::string_view, std::string_view) {});
}

}  // namespace kith::text
