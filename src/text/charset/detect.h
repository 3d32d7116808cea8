// Guesses the encoding of bytes that are not UTF-8.
#pragma once

#include <optional>
#include <string_view>

#include "text/charset/labels.h"

namespace kith::text {

// By uchardet, and by ICU where uchardet is unsure or weak. It looks at no more than 8 KiB
// around the bytes that are not ASCII, so its time is bounded. Nothing when both know nothing.
std::optional<Encoding> detect_encoding(std::string_view bytes);

}  // namespace kith::text
