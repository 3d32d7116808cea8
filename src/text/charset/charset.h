// The encodings and their labels (WHATWG Encoding standard, section 4.2): which one a page has, and
// its bytes as UTF-8.
#pragma once

#include <cstddef>
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

// The encoding that a page names in its own head.

// The first known label of <meta charset>, of <meta http-equiv=content-type content>, or of an
// XML declaration (WHATWG HTML, 13.2.3.2 "prescan a byte stream"; UTF-16 reads as UTF-8 there).
// Linear in `head`, the front of the page.
std::optional<Encoding> prescan_encoding(std::string_view head);

// Guesses the encoding of bytes that are not UTF-8.

// ISO-2022-JP, by one of its escape sequences: its bytes are ASCII. Nothing where there is none.
std::optional<Encoding> detect_escaped(std::string_view bytes);

// UTF-16 without a mark, by the zeros of ASCII characters in the first KiB, all of which are first
// or all second bytes. Nothing where there are few.
std::optional<Encoding> detect_utf_16(std::string_view bytes);

// By uchardet, and by ICU where uchardet is unsure or weak. It looks at no more than 8 KiB
// around the bytes that are not ASCII, so its time is bounded. Nothing when both know nothing.
std::optional<Encoding> detect_encoding(std::string_view bytes);

// Bytes of a known encoding to UTF-8.

// Replaces `out` by `bytes` decoded; what is invalid becomes U+FFFD. Thread-safe.
void decode(Encoding encoding, std::string_view bytes, std::string& out);

// How much of a text is UTF-8.
struct Utf8Evidence {
  size_t sequences = 0;  // valid sequences of more than one byte
  size_t errors = 0;     // maximal subparts of invalid ones, each of which is one U+FFFD
};
Utf8Evidence weigh_utf8(std::string_view bytes);

}  // namespace kith::text
