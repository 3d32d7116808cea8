// The encodings and their labels (WHATWG Encoding standard, section 4.2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kith::text {

enum class Encoding : uint8_t {
  utf_8,
  ibm866,
  iso_8859_2,
  iso_8859_3,
  iso_8859_4,
  iso_8859_5,
  iso_8859_6,
  iso_8859_7,
  iso_8859_8,
  iso_8859_8_i,
  iso_8859_10,
  iso_8859_13,
  iso_8859_14,
  iso_8859_15,
  iso_8859_16,
  koi8_r,
  koi8_u,
  macintosh,
  windows_874,
  windows_1250,
  windows_1251,
  windows_1252,
  windows_1253,
  windows_1254,
  windows_1255,
  windows_1256,
  windows_1257,
  windows_1258,
  x_mac_cyrillic,
  x_user_defined,
  gbk,
  gb18030,
  big5,
  euc_jp,
  iso_2022_jp,
  shift_jis,
  euc_kr,
  replacement,
  utf_16be,
  utf_16le,
};
inline constexpr size_t encoding_count = static_cast<size_t>(Encoding::utf_16le) + 1;

enum class EncodingKind : uint8_t { utf_8, single_byte, multi_byte, utf_16, replacement };

struct EncodingInfo {
  std::string_view name;  // of the WHATWG
  EncodingKind kind;
  const char* converter;  // ICU's name of its decoder; null where none is needed
};

// Static.
const EncodingInfo& info_of(Encoding encoding);

// Blanks around the label and its case do not matter. Nothing when the label is unknown.
std::optional<Encoding> find_encoding(std::string_view label);

// Any bytes to valid UTF-8, by the order of the WHATWG: byte order mark, HTTP header, meta,
// then validation (a label that lies is caught) and detection. Pure.
struct Utf8Text {
  std::string_view bytes;    // valid UTF-8; views the input or the caller's buffer
  std::string_view charset;  // WHATWG name of the encoding used, e.g. "windows-1252"; static
};

// Thread-safe. `http_charset` is the label of the HTTP header or empty; `is_html` asks for the
// meta prescan. Invalid sequences become U+FFFD. `buffer` is used only when bytes must change.
Utf8Text to_utf8(std::string_view bytes, std::string_view http_charset, bool is_html,
                 std::string& buffer);

}  // namespace kith::text
