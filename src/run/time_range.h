// Ranges of dates as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace kith::run {

// The range [first, second) in ms since 1970, UTC, of "2020", "2020-03", "2020-03-15", the same
// without hyphens, "2020-03-15T12:00:00Z" (a second), or of two of them, both included:
// "2020..2021". One bound may be missing: "2020..", "..2020-03". Nothing for other texts and empty
// ranges. Thread-safe.
std::optional<std::pair<int64_t, int64_t>> parse_time_range(std::string_view text);

}  // namespace kith::run
