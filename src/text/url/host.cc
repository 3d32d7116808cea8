#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <new>
#include <optional>

#include <unicode/uidna.h>

#include "base/bytes.h"
#include "base/check.h"
#include "text/url/url.h"
#include "text/words/icu_error.h"

namespace kith::text {
namespace {

constexpr size_t max_domain_bytes = 1024;

// What UTS #46 reports although the options of the URL standard switch its check off.
constexpr uint32_t tolerated_errors =
    UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG | UIDNA_ERROR_DOMAIN_NAME_TOO_LONG |
    UIDNA_ERROR_LEADING_HYPHEN | UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4;

// Lives as long as the program; immutable, so shared by all threads.
const UIDNA* uts46() {
  static const UIDNA* const instance = [] {
    UErrorCode error = U_ZERO_ERROR;
    const UIDNA* idna =
        uidna_openUTS46(UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII |
                            UIDNA_NONTRANSITIONAL_TO_UNICODE,
                        &error);
    check_icu(error);
    return idna;
  }();
  return instance;
}

}  // namespace

bool append_ascii_domain(std::string_view domain, std::string& out) {
  if (domain.size() > max_domain_bytes) return false;
  // Punycode of n code points has at most some 7 n characters (RFC 3492: 21 bits per code point
  // in base 36, and the delta of the position), so this always suffices.
  std::array<char, max_domain_bytes * 8> ascii;
  UErrorCode error = U_ZERO_ERROR;
  UIDNAInfo info = UIDNA_INFO_INITIALIZER;
  const int32_t length =
      uidna_nameToASCII_UTF8(uts46(), domain.data(), static_cast<int32_t>(domain.size()),
                             ascii.data(), static_cast<int32_t>(ascii.size()), &info, &error);
  if (error == U_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
  if (U_FAILURE(error) || (info.errors & ~tolerated_errors) != 0 || length <= 0) return false;
  out.append(ascii.data(), static_cast<size_t>(length));
  return true;
}

namespace {

// Forbidden domain code points: C0 controls, DEL and these.
constexpr std::string_view forbidden_in_domain = " #/:<>?@[\\]^|%";

// Letters, digits, '-', '.' and '_': hosts of only these need no decoding. Upper case maps to
// lower case, everything else to 0.
constexpr std::array<char, 256> plain_host_byte = [] {
  std::array<char, 256> table{};
  for (size_t byte = 0; byte < 128; ++byte) {
    const char c = static_cast<char>(byte);
    if (is_ascii_alpha(c) || is_ascii_digit(c) || c == '-' || c == '.' || c == '_') {
      table[byte] = ascii_lower(c);
    }
  }
  return table;
}();

constexpr std::array<bool, 256> is_domain_byte = [] {
  std::array<bool, 256> table{};
  for (size_t byte = 0x21; byte < 0x7f; ++byte) {
    table[byte] = forbidden_in_domain.find(static_cast<char>(byte)) == std::string_view::npos;
  }
  return table;
}();

constexpr int hex_value(char c) {
  if (is_ascii_digit(c)) return c - '0';
  const char lower = ascii_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

void append_number(uint32_t number, int base, std::string& out) {
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base).ptr;
  out.append(digits.data(), end);
}

std::string percent_decode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 &&
        hex_value(text[i + 2]) >= 0) {
      decoded.push_back(static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2])));
      i += 2;
    } else {
      decoded.push_back(text[i]);
    }
  }
  return decoded;
}

// The "IPv4 number parser". Values beyond 32 bits come back as 2^32: too large for any part.
std::optional<uint64_t> parse_ipv4_number(std::string_view text) {
  constexpr uint64_t too_large = uint64_t{1} << 32;
  if (text.empty()) return std::nullopt;
  int base = 10;
  if (text.size() >= 2 && text[0] == '0' && ascii_lower(text[1]) == 'x') {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() >= 2 && text[0] == '0') {
    base = 8;
    text.remove_prefix(1);
  }
  uint64_t value = 0;
  for (const char c : text) {
    const int digit = hex_value(c);
    if (digit < 0 || digit >= base) return std::nullopt;
    value = std::min(value * static_cast<uint64_t>(base) + static_cast<uint64_t>(digit), too_large);
  }
  return value;
}

std::string_view last_label(std::string_view domain) {
  if (domain.ends_with('.')) domain.remove_suffix(1);
  return domain.substr(domain.rfind('.') + 1);
}

// The "ends in a number checker": such a host is an IPv4 address or nothing.
bool ends_in_number(std::string_view domain) {
  const std::string_view label = last_label(domain);
  if (label.empty() || !is_ascii_digit(label.front())) return false;
  return std::ranges::all_of(label, is_ascii_digit) || parse_ipv4_number(label).has_value();
}

// The "IPv4 parser" and serialiser.
bool append_ipv4(std::string_view text, std::string& out) {
  if (text.ends_with('.')) text.remove_suffix(1);
  uint64_t address = 0;
  for (int parts = 1; parts <= 4; ++parts) {
    const size_t dot = text.find('.');
    const auto number = parse_ipv4_number(text.substr(0, dot));
    if (!number) return false;
    if (dot == std::string_view::npos) {
      const int free_bits = 8 * (5 - parts);
      if (*number >> free_bits != 0) return false;
      address = (address << free_bits) | *number;
      for (int shift = 24; shift >= 0; shift -= 8) {
        append_number(static_cast<uint32_t>(address >> shift) & 0xff, 10, out);
        if (shift > 0) out.push_back('.');
      }
      return true;
    }
    if (*number > 255) return false;
    address = (address << 8) | *number;
    text.remove_prefix(dot + 1);
  }
  return false;
}

using Ipv6Pieces = std::array<uint16_t, 8>;

// The dotted tail of an IPv6 address, into two pieces.
bool parse_ipv4_tail(std::string_view text, uint16_t& high, uint16_t& low) {
  uint32_t address = 0;
  for (int part = 0; part < 4; ++part) {
    size_t digits = 0;
    uint32_t value = 0;
    while (digits < text.size() && is_ascii_digit(text[digits])) {
      if (digits > 0 && value == 0) return false;  // a leading zero
      value = value * 10 + static_cast<uint32_t>(text[digits++] - '0');
      if (value > 255) return false;
    }
    if (digits == 0) return false;
    address = (address << 8) | value;
    text.remove_prefix(digits);
    if (part == 3) break;
    if (!text.starts_with('.')) return false;
    text.remove_prefix(1);
  }
  high = static_cast<uint16_t>(address >> 16);
  low = static_cast<uint16_t>(address & 0xffff);
  return text.empty();
}

// Moves the pieces after "::" to the end and fills the gap with zeros. `gap` counts one piece
// for the "::" itself, which stands for at least one.
void expand_gap(Ipv6Pieces& pieces, size_t gap, size_t count) {
  std::move_backward(pieces.begin() + gap, pieces.begin() + count, pieces.end());
  std::fill_n(pieces.begin() + gap, pieces.size() - count, uint16_t{0});
}

// The "IPv6 parser", of what stands between the brackets.
std::optional<Ipv6Pieces> parse_ipv6(std::string_view text) {
  Ipv6Pieces pieces{};
  size_t count = 0;
  std::optional<size_t> gap;
  if (text.starts_with(':')) {
    if (!text.starts_with("::")) return std::nullopt;
    text.remove_prefix(2);
    gap = ++count;
  }
  while (!text.empty()) {
    if (count == pieces.size()) return std::nullopt;
    if (text.front() == ':') {
      if (gap) return std::nullopt;
      text.remove_prefix(1);
      gap = ++count;
      continue;
    }
    uint32_t value = 0;
    size_t digits = 0;
    while (digits < std::min<size_t>(text.size(), 4) && hex_value(text[digits]) >= 0) {
      value = value * 16 + static_cast<uint32_t>(hex_value(text[digits++]));
    }
    if (digits < text.size() && text[digits] == '.') {
      if (count + 2 > pieces.size()) return std::nullopt;
      if (!parse_ipv4_tail(text, pieces[count], pieces[count + 1])) return std::nullopt;
      count += 2;
      break;
    }
    if (digits == 0) return std::nullopt;
    pieces[count++] = static_cast<uint16_t>(value);
    text.remove_prefix(digits);
    if (text.empty()) break;
    if (text.front() != ':' || text.size() == 1) return std::nullopt;
    text.remove_prefix(1);
  }
  if (!gap && count != pieces.size()) return std::nullopt;
  if (gap) expand_gap(pieces, *gap, count);
  return pieces;
}

// The "IPv6 serializer": the first longest run of two or more zero pieces becomes "::".
void append_ipv6(const Ipv6Pieces& pieces, std::string& out) {
  size_t best_begin = pieces.size();
  size_t best_length = 1;
  for (size_t i = 0; i < pieces.size(); ++i) {
    size_t end = i;
    while (end < pieces.size() && pieces[end] == 0) ++end;
    if (end - i > best_length) {
      best_begin = i;
      best_length = end - i;
    }
    i = std::max(i, end);
  }
  out.push_back('[');
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (i == best_begin) {
      out.append(i == 0 ? "::" : ":");
      i += best_length - 1;
      continue;
    }
    append_number(pieces[i], 16, out);
    if (i + 1 < pieces.size()) out.push_back(':');
  }
  out.push_back(']');
}

// Hosts of letters, digits, '-', '.' and '_', which are nearly all; false leaves `out` as it was.
bool append_plain_host(std::string_view host, std::string& out) {
  const size_t begin = out.size();
  out.resize(begin + host.size());
  char* to = out.data() + begin;
  for (size_t i = 0; i < host.size(); ++i) {
    to[i] = plain_host_byte[static_cast<uint8_t>(host[i])];
    if (to[i] == '\0') {
      out.resize(begin);
      return false;
    }
  }
  const std::string_view lower = std::string_view(out).substr(begin);
  if (lower.find("xn--") != std::string_view::npos || ends_in_number(lower)) {
    out.resize(begin);
    return false;
  }
  return true;
}

}  // namespace

bool append_canonical_host(std::string_view host, std::string& out) {
  if (host.empty()) return false;
  if (host.front() == '[') {
    if (host.back() != ']') return false;
    const auto pieces = parse_ipv6(host.substr(1, host.size() - 2));
    if (pieces) append_ipv6(*pieces, out);
    return pieces.has_value();
  }
  if (append_plain_host(host, out)) return true;

  const std::string decoded = percent_decode(host);
  std::string domain;
  if (std::ranges::all_of(decoded, [](char c) { return static_cast<uint8_t>(c) < 0x80; }) &&
      to_ascii_lower(decoded).find("xn--") == std::string::npos) {
    domain = to_ascii_lower(decoded);
  } else if (!append_ascii_domain(decoded, domain)) {
    return false;
  }
  if (!std::ranges::all_of(domain, [](char c) { return is_domain_byte[static_cast<uint8_t>(c)]; }))
    return false;
  if (ends_in_number(domain)) return append_ipv4(domain, out);
  out.append(domain);
  return true;
}

}  // namespace kith::text
