// Attributes of a tag, and the character references in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kith::text {

// Character references of HTML: &amp; &#233; &#xe9; (WHATWG HTML, 13.2.5.72 to 13.2.5.80).
struct Reference {
  uint32_t length = 0;    // bytes from '&' on; 0 when '&' is only text
  std::string_view utf8;  // what it stands for: 1 to 6 bytes, a view of `storage` or static
};

// Room for the characters of a numeric reference.
struct ReferenceStorage {
  char bytes[4];
};

enum class ReferencePlace : uint8_t { text, attribute };

// Reads the reference at [at, end), which begins with '&'. The longest name wins; in an
// attribute a name without ';' does not count before '=' or a letter or digit. The result is
// never NUL: what is no character becomes U+FFFD. Constant time for a name.
Reference read_reference(const char* at, const char* end, ReferencePlace place,
                         ReferenceStorage& storage);

// Appends an attribute's value: references decoded, NUL to U+FFFD, CR and CRLF to LF.
void append_attribute_value(std::string_view raw, std::string& out);

// The same of an address, for parse_url(): one that is longer than `most` bytes stays longer, but
// is not kept as a whole; what no URL is made of is left out of a long one.
void append_address(std::string_view raw, size_t most, std::string& out);

// The attributes of a tag (WHATWG HTML, 13.2.5.32 to 13.2.5.40).
struct TagRest {
  const char* end = nullptr;  // behind the '>'; null when the tag is cut and does not count
  bool is_self_closing = false;
  std::optional<std::string_view> value;  // of the wanted attribute, undecoded; the first wins
};

// Reads a tag from behind its name. `wanted` is in lower case.
TagRest read_attributes(const char* at, const char* end, std::string_view wanted);

// All of them, names and values undecoded; returns as TagRest::end.
using TakeAttribute = std::function<void(std::string_view name, std::string_view value)>;
const char* read_all_attributes(const char* at, const char* end, const TakeAttribute& take);

// Only where the tag ends, as TagRest::end.
const char* skip_attributes(const char* at, const char* end);

// Where a page says that it is better looked for: the values of <meta http-equiv="refresh"
// content> and <link rel>. Pure.

// A page that stays for longer before it goes elsewhere is a page of its own.
inline constexpr unsigned longest_refresh_seconds = 1;

// The URL in the content of a refresh, as it stands there, after the "shared declarative refresh
// steps" of the WHATWG HTML standard; nothing when there is none (the page reloads itself), or
// when the page stays for more than longest_refresh_seconds.
std::optional<std::string_view> refresh_target(std::string_view content);

// Whether one of the blank-separated link types is "canonical" (RFC 6596).
bool is_canonical(std::string_view rel);

}  // namespace kith::text
