// The attributes of a tag (WHATWG HTML, 13.2.5.32 to 13.2.5.40).
#pragma once

#include <optional>
#include <string_view>

namespace kith::text {

struct TagRest {
  const char* end = nullptr;  // behind the '>'; null when the tag is cut and does not count
  bool is_self_closing = false;
  std::optional<std::string_view> value;  // of the wanted attribute, undecoded; the first wins
};

// Reads a tag from behind its name. `wanted` is in lower case.
TagRest read_attributes(const char* at, const char* end, std::string_view wanted);

// Only where the tag ends, as TagRest::end.
const char* skip_attributes(const char* at, const char* end);

}  // namespace kith::text
