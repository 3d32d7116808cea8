// Any bytes to valid UTF-8, by the order of the WHATWG: byte order mark, HTTP header, meta,
// then validation (a label that lies is caught) and detection. Pure.
#pragma once

#include <string>
#include <string_view>

namespace kith::text {

struct Utf8Text {
  std::string_view bytes;    // valid UTF-8; views the input or the caller's buffer
  std::string_view charset;  // WHATWG name of the encoding used, e.g. "windows-1252"; static
};

// Thread-safe. `http_charset` is the label of the HTTP header or empty; `is_html` asks for the
// meta prescan. Invalid sequences become U+FFFD. `buffer` is used only when bytes must change.
Utf8Text to_utf8(std::string_view bytes, std::string_view http_charset, bool is_html,
                 std::string& buffer);

}  // namespace kith::text
