// The encoding of a page: as it names it in its head, and as its bytes look.
#pragma once

#include <optional>
#include <string_view>

#include "text/charset/charset.h"

namespace kith::text {

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

}  // namespace kith::text
