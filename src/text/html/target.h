// Where a page says that it is better looked for: the values of <meta http-equiv="refresh"
// content> and <link rel>. Pure.
#pragma once

#include <optional>
#include <string_view>

namespace kith::text {

// A page that stays for longer before it goes elsewhere is a page of its own.
inline constexpr unsigned longest_refresh_seconds = 1;

// The URL in the content of a refresh, as it stands there, after the "shared declarative refresh
// steps" of the WHATWG HTML standard; nothing when there is none (the page reloads itself), or
// when the page stays for more than longest_refresh_seconds.
std::optional<std::string_view> refresh_target(std::string_view content);

// Whether one of the blank-separated link types is "canonical" (RFC 6596).
bool is_canonical(std::string_view rel);

}  // namespace kith::text
