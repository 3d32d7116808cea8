// Points in time as JSON lines spell them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kith::crawl {

// Milliseconds since 1970-01-01T00:00:00Z of seconds since then ("1700000000", "1.7e9",
// "1700000000.25") or of a date of RFC 3339: "2026-11-24", "2026-11-24T12:00:00Z",
// "2026-11-24 12:00:00.5+01:00"; without a zone it is UTC. Nothing for other texts, and for years
// before 0 or after 9999. Thread-safe.
std::optional<int64_t> parse_time(std::string_view text);

}  // namespace kith::crawl
