// Points in time: as texts spell them, and as they are written.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kith {

// Points in time are milliseconds since 1970-01-01T00:00:00Z. Pure; thread-safe.

// Where none is known.
inline constexpr int64_t no_time = INT64_MIN;

// Of seconds since 1970 ("1700000000", "1.7e9", "1700000000.25") or of a date of RFC 3339:
// "2026-11-24", "2026-11-24T12:00:00Z", "2026-11-24 12:00:00.5+01:00"; without a zone it is UTC.
// Nothing for other texts, and for years before 0 or after 9999.
std::optional<int64_t> parse_time(std::string_view text);

// Of a date of RFC 3339, as above, or of the digits alone, as Web archives have them: year, month
// and day, hours and minutes, seconds, milliseconds, of the years 1900 to 2099: "20261124",
// "202611241200", "20261124120000", "20261124120000500". Nothing for another number.
std::optional<int64_t> parse_date(std::string_view text);

// The same of the digits with which a text begins: as many as there are, but the day at least.
std::optional<int64_t> parse_digits(std::string_view text);

// Of a date as parse_date() has it, else of seconds, or of milliseconds where as seconds they would
// lie behind the year 9999.
std::optional<int64_t> parse_any_time(std::string_view text);

// "2026-11-24T12:00:00Z"; with a fraction where there is one: "2026-11-24T12:00:00.500Z". Empty for
// no_time. REQUIRES: of the years 0 to 9999, or no_time.
std::string date_text(int64_t ms);

// "2026-11". Empty for no_time.
std::string month_text(int64_t ms);

// "2026-11", and how many points in time are of it.
using Months = std::vector<std::pair<std::string, uint64_t>>;

// How many of some points in time are of which month. Not thread-safe.
class MonthCounts {
 public:
  // no_time counts for none.
  void add(int64_t ms);
  // The months that have some, ascending.
  Months list() const;

 private:
  std::map<int64_t, uint64_t> counts_;  // by the first moment of the month
};

}  // namespace kith
