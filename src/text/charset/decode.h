// Bytes of a known encoding to UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "text/charset/charset.h"

namespace kith::text {

// Replaces `out` by `bytes` decoded; what is invalid becomes U+FFFD. Thread-safe.
void decode(Encoding encoding, std::string_view bytes, std::string& out);

// How much of a text is UTF-8.
struct Utf8Evidence {
  size_t sequences = 0;  // valid sequences of more than one byte
  size_t errors = 0;     // maximal subparts of invalid ones, each of which is one U+FFFD
};
Utf8Evidence weigh_utf8(std::string_view bytes);

}  // namespace kith::text
