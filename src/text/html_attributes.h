// The attributes of a tag (WHATWG HTML, 13.2.5.32 to 13.2.5.40).
#pragma once

#include <optional>
#include <string_view>

namespace kith::text {

struct TagRest {
  const char* end = nullptr;  // after the '>'; the end of the input when the tag is cut there
  bool is_cut = false;        // no '>': the tag does not count
  bool is_self_closing = false;
  std::optional<std::string_view> value;  // of the wanted attribute, undecoded; the first wins
};

// Reads a tag from behind its name. `wanted` is in lower case; empty when none is.
TagRest read_attributes(const char* at, const char* end, std::string_view wanted);

}  // namespace kith::text
