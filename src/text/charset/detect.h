// Guesses the encoding of bytes that are not UTF-8.
#pragma once

#include <optional>
#include <string_view>

#include "text/charset/labels.h"

namespace kith::text {

// ISO-2022-JP, by one of its escape sequences: its bytes are ASCII. Nothing where there is none.
std::optional<Encoding> detect_escaped(std::string_view bytes);

// UTF-16 without a mark, by the zeros of ASCII characters in the first KiB, all of which are first
// or all second bytes. Nothing where there are few.
std::optional<Encoding> detect_utf_16(std::string_view bytes);

// By uchardet, and by ICU where uchardet is unsure or weak. It looks at no more than 8 KiB
// around the bytes that are not ASCII, so its time is bounded. Nothing when both know nothing.
std::optional<Encoding> detect_encoding(std::string_view bytes);

}  // namespace kith::text
