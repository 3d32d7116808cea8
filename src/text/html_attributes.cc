#include "text/html_attributes.h"

#include <array>
#include <cstdint>

#include "base/ascii.h"
#include "text/html_scan.h"

namespace kith::text {
namespace {

// A table, as names are read byte by byte: most are shorter than a block.
constexpr auto ends_attribute_name = [] {
  std::array<bool, 256> table = {};
  for (const char c : {' ', '\t', '\n', '\r', '\f', '/', '>', '='}) {
    table[static_cast<uint8_t>(c)] = true;
  }
  return table;
}();

const char* skip_blanks(const char* at, const char* end) {
  while (at < end && is_ascii_blank(*at)) ++at;
  return at;
}

const char* name_end(const char* at, const char* end) {
  while (at < end && !ends_attribute_name[static_cast<uint8_t>(*at)]) ++at;
  return at;
}

std::string_view view(const char* begin, const char* end) {
  return {begin, static_cast<size_t>(end - begin)};
}

// Reads a value, at the first byte behind '=' and blanks; returns where it ends, with its quote.
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

}  // namespace

TagRest read_attributes(const char* at, const char* end, std::string_view wanted) {
  TagRest rest;
  for (;;) {
    rest.is_self_closing = false;
    while (at < end && (is_ascii_blank(*at) || *at == '/')) {
      rest.is_self_closing = *at == '/';
      ++at;
    }
    if (at == end) break;
    if (*at == '>') {
      rest.end = at + 1;
      return rest;
    }
    const char* const name = at;
    at = name_end(at + 1, end);  // the first byte belongs to the name, even '='
    const std::string_view attribute = view(name, at);
    at = skip_blanks(at, end);
    std::string_view value;
    if (at < end && *at == '=') at = read_value(skip_blanks(at + 1, end), end, value);
    if (attribute.size() == wanted.size() && !rest.value &&
        equals_ignoring_case(attribute, wanted)) {
      rest.value = value;
    }
  }
  rest.end = end;
  rest.is_cut = true;
  return rest;
}

}  // namespace kith::text
