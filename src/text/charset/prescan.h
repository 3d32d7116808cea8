// The encoding that a page names in its own head.
#pragma once

#include <optional>
#include <string_view>

#include "text/charset/labels.h"

namespace kith::text {

// The first known label of <meta charset>, of <meta http-equiv=content-type content>, or of an
// XML declaration (WHATWG HTML, 13.2.3.2 "prescan a byte stream"; UTF-16 reads as UTF-8 there).
// Linear in `head`, the front of the page.
std::optional<Encoding> prescan_encoding(std::string_view head);

}  // namespace kith::text
