// What bytes are by their beginning, where a media type says text or nothing (the WHATWG MIME
// Sniffing Standard, sections 6 and 7; docs/formats/inputs.md). Pure.
#pragma once

#include <optional>
#include <string_view>

#include "crawl/read/page_reader.h"

namespace kith::crawl {

// Under which kind a body is passed over that is no text: by its first bytes, or because they hold
// control characters; nothing for text. Text in UTF-16 is text.
std::optional<Skip> sniff_binary(std::string_view body);

// Whether a body begins with a member of gzip.
bool begins_with_gzip(std::string_view body);

// The kind of a media type that is of no text, such as image/png and application/pdf; nothing for
// others.
std::optional<Skip> binary_kind(std::string_view media_type);

}  // namespace kith::crawl
