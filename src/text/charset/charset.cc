#include "text/charset/charset.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include <simdjson.h>

#include "base/bytes.h"

namespace kith::text {
namespace {

// In the order of Encoding. ICU's plain names of some are not the WHATWG's tables: GBK is
// decoded as GB 18030, Big5 with the characters of Hong Kong, Shift_JIS and EUC-KR as Windows
// has them.
constexpr std::array<EncodingInfo, encoding_count> encodings = {{
    {"UTF-8", EncodingKind::utf_8, nullptr},
    {"IBM866", EncodingKind::single_byte, "IBM866"},
    {"ISO-8859-2", EncodingKind::single_byte, "ISO-8859-2"},
    {"ISO-8859-3", EncodingKind::single_byte, "ISO-8859-3"},
    {"ISO-8859-4", EncodingKind::single_byte, "ISO-8859-4"},
    {"ISO-8859-5", EncodingKind::single_byte, "ISO-8859-5"},
    {"ISO-8859-6", EncodingKind::single_byte, "ISO-8859-6"},
    {"ISO-8859-7", EncodingKind::single_byte, "ISO-8859-7"},
    {"ISO-8859-8", EncodingKind::single_byte, "ISO-8859-8"},
    {"ISO-8859-8-I", EncodingKind::single_byte, "ISO-8859-8"},
    {"ISO-8859-10", EncodingKind::single_byte, "ISO-8859-10"},
    {"ISO-8859-13", EncodingKind::single_byte, "ISO-8859-13"},
    {"ISO-8859-14", EncodingKind::single_byte, "ISO-8859-14"},
    {"ISO-8859-15", EncodingKind::single_byte, "ISO-8859-15"},
    {"ISO-8859-16", EncodingKind::single_byte, "ISO-8859-16"},
    {"KOI8-R", EncodingKind::single_byte, "KOI8-R"},
    {"KOI8-U", EncodingKind::single_byte, "KOI8-U"},
    {"macintosh", EncodingKind::single_byte, "macintosh"},
    {"windows-874", EncodingKind::single_byte, "windows-874"},
    {"windows-1250", EncodingKind::single_byte, "windows-1250"},
    {"windows-1251", EncodingKind::single_byte, "windows-1251"},
    {"windows-1252", EncodingKind::single_byte, "windows-1252"},
    {"windows-1253", EncodingKind::single_byte, "windows-1253"},
    {"windows-1254", EncodingKind::single_byte, "windows-1254"},
    {"windows-1255", EncodingKind::single_byte, "windows-1255"},
    {"windows-1256", EncodingKind::single_byte, "windows-1256"},
    {"windows-1257", EncodingKind::single_byte, "windows-1257"},
    {"windows-1258", EncodingKind::single_byte, "windows-1258"},
    {"x-mac-cyrillic", EncodingKind::single_byte, "x-mac-cyrillic"},
    {"x-user-defined", EncodingKind::single_byte, nullptr},
    {"GBK", EncodingKind::multi_byte, "gb18030"},
    {"gb18030", EncodingKind::multi_byte, "gb18030"},
    {"Big5", EncodingKind::multi_byte, "Big5-HKSCS"},
    {"EUC-JP", EncodingKind::multi_byte, "EUC-JP"},
    {"ISO-2022-JP", EncodingKind::multi_byte, "ISO-2022-JP"},
    {"Shift_JIS", EncodingKind::multi_byte, "windows-31j"},
    {"EUC-KR", EncodingKind::multi_byte, "windows-949"},
    {"replacement", EncodingKind::replacement, nullptr},
    {"UTF-16BE", EncodingKind::utf_16, "UTF-16BE"},
    {"UTF-16LE", EncodingKind::utf_16, "UTF-16LE"},
}};

struct Label {
  std::string_view label;
  Encoding encoding;
};

// Sorted by label; made by generate_labels.py at build time.
constexpr Label labels[] = {
#include "text/charset/labels.inc"
};
static_assert(std::ranges::is_sorted(labels, {}, &Label::label));

constexpr size_t longest_label = [] {
  size_t longest = 0;
  for (const Label& label : labels) longest = std::max(longest, label.label.size());
  return longest;
}();

}  // namespace

const EncodingInfo& info_of(Encoding encoding) {
  return encodings[static_cast<size_t>(encoding)];
}

std::optional<Encoding> find_encoding(std::string_view label) {
  label = trim(label);
  if (label.size() > longest_label) return std::nullopt;
  std::array<char, longest_label> lower;
  std::ranges::transform(label, lower.begin(), ascii_lower);
  const std::string_view wanted(lower.data(), label.size());
  const auto found = std::ranges::lower_bound(labels, wanted, {}, &Label::label);
  if (found == std::ranges::end(labels) || found->label != wanted) return std::nullopt;
  return found->encoding;
}

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
