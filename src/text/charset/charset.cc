#include "text/charset/charset.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <simdjson.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "text/charset/decode.h"
#include "text/charset/detect.h"
#include "text/charset/labels.h"
#include "text/charset/prescan.h"

namespace kith::text {
namespace {

constexpr size_t prescan_bytes = 1024;        // as the WHATWG says
constexpr size_t deep_prescan_bytes = 65536;  // where much depends on a label

bool is_kind(std::optional<Encoding> label, EncodingKind kind) {
  return label && info_of(*label).kind == kind;
}

bool is_legacy(std::optional<Encoding> label) {
  return is_kind(label, EncodingKind::single_byte) || is_kind(label, EncodingKind::multi_byte);
}

// Whether valid UTF-8 under this label is UTF-8. It is under nearly every label, as text of
// other encodings does not look so by chance; but a few characters of a multi-byte one may.
bool valid_utf8_is_utf8(std::string_view bytes, std::optional<Encoding> label) {
  if (label == Encoding::iso_2022_jp && bytes.find('\x1b') != std::string_view::npos) return false;
  if (is_kind(label, EncodingKind::utf_16)) {
    return bytes.substr(0, prescan_bytes).find('\0') == std::string_view::npos;
  }
  if (!is_kind(label, EncodingKind::multi_byte) && label != Encoding::replacement) return true;
  constexpr size_t enough = 8;
  size_t sequences = 0;
  for (size_t at = 0; at < bytes.size() && sequences < enough; ++at) {
    sequences += static_cast<unsigned char>(bytes[at]) >= 0xc0 ? 1 : 0;
  }
  return sequences >= enough || (sequences == 0 && label != Encoding::replacement);
}

// How often a decoder found no character.
size_t count_replaced(std::string_view utf8) {
  size_t count = 0;
  for (size_t at = utf8.find(utf8_replacement); at != std::string_view::npos;
       at = utf8.find(utf8_replacement, at + utf8_replacement.size())) {
    ++count;
  }
  return count;
}

Utf8Text decoded(Encoding encoding, std::string_view bytes, std::string& buffer) {
  decode(encoding, bytes, buffer);
  return {buffer, info_of(encoding).name};
}

// A multi-byte label whose decoder stumbles often is a lie: then detection may know better.
Utf8Text decode_by_label(Encoding label, std::string_view bytes, std::string& buffer) {
  const Utf8Text by_label = decoded(label, bytes, buffer);
  if (info_of(label).kind != EncodingKind::multi_byte) return by_label;
  const size_t replaced = count_replaced(buffer);
  const size_t foreign = bytes.size() - static_cast<size_t>(std::ranges::count_if(bytes, is_ascii));
  if (replaced * 50 <= foreign) return by_label;
  const std::optional<Encoding> guess = detect_encoding(bytes);
  if (!guess || *guess == label) return by_label;
  std::string other;
  decode(*guess, bytes, other);
  if (count_replaced(other) >= replaced) return by_label;
  buffer = std::move(other);
  return {buffer, info_of(*guess).name};
}

// Bytes that are not UTF-8, by label or guess.
Utf8Text decode_invalid(std::string_view bytes, std::optional<Encoding> label,
                        std::string& buffer) {
  if (is_kind(label, EncodingKind::utf_16) || label == Encoding::replacement) {
    return decoded(*label, bytes, buffer);
  }
  // Text of another encoding has few valid sequences, most of them by chance.
  const Utf8Evidence evidence = weigh_utf8(bytes);
  const size_t enough = label == Encoding::utf_8 ? evidence.errors : evidence.errors * 4;
  if (evidence.sequences >= enough) return decoded(Encoding::utf_8, bytes, buffer);
  if (is_legacy(label)) return decode_by_label(*label, bytes, buffer);
  return decoded(detect_encoding(bytes).value_or(Encoding::windows_1252), bytes, buffer);
}

}  // namespace

Utf8Text to_utf8(std::string_view bytes, std::string_view http_charset, bool is_html,
                 std::string& buffer) {
  constexpr std::string_view utf_8_mark = "\xef\xbb\xbf";
  if (bytes.starts_with("\xff\xfe")) return decoded(Encoding::utf_16le, bytes.substr(2), buffer);
  if (bytes.starts_with("\xfe\xff")) return decoded(Encoding::utf_16be, bytes.substr(2), buffer);
  const bool has_mark = bytes.starts_with(utf_8_mark);
  if (has_mark) bytes.remove_prefix(utf_8_mark.size());
  const bool is_valid = simdjson::validate_utf8(bytes.data(), bytes.size());
  if (has_mark && !is_valid) return decoded(Encoding::utf_8, bytes, buffer);
  if (has_mark) return {bytes, info_of(Encoding::utf_8).name};

  std::optional<Encoding> label = find_encoding(http_charset);
  if (!label && is_html) label = prescan_encoding(bytes.substr(0, prescan_bytes));
  if (!label || label == Encoding::utf_8) {
    if (const auto wide = detect_utf_16(bytes)) return decoded(*wide, bytes, buffer);
  }
  if (is_valid) {
    if (!label || label == Encoding::utf_8) {
      if (const auto escaped = detect_escaped(bytes)) return decoded(*escaped, bytes, buffer);
    }
    if (valid_utf8_is_utf8(bytes, label)) return {bytes, info_of(Encoding::utf_8).name};
    return decoded(*label, bytes, buffer);
  }
  if (!label && is_html) label = prescan_encoding(bytes.substr(0, deep_prescan_bytes));
  return decode_invalid(bytes, label, buffer);
}

}  // namespace kith::text
