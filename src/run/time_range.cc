#include "run/time_range.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>
#include <string>

#include "base/bytes.h"
#include "base/dates.h"

namespace kith::run {
namespace {

using Range = std::pair<int64_t, int64_t>;

int64_t milliseconds(std::chrono::year_month_day day) {
  using std::chrono::milliseconds;
  return std::chrono::duration_cast<milliseconds>(std::chrono::sys_days(day).time_since_epoch())
      .count();
}

int number(std::string_view digits) {
  int value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

// "2020-03-15" or "2020-03" without hyphens; empty where they stand wrong.
std::string digits_of(std::string_view text) {
  std::string digits;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_hyphen = text[i] == '-' && (i == 4 || i == 7) && i + 1 < text.size();
    if (!is_hyphen && !is_ascii_digit(text[i])) return {};
    if (!is_hyphen) digits.push_back(text[i]);
  }
  return digits;
}

// A year, a month, a day or a second.
std::optional<Range> parse_period(std::string_view text) {
  using std::chrono::day;
  using std::chrono::days;
  using std::chrono::month;
  using std::chrono::months;
  using std::chrono::sys_days;
  using std::chrono::year;
  using std::chrono::year_month_day;
  using std::chrono::years;
  if (text.find_first_of("Tt") != std::string_view::npos) {
    const auto time = parse_time(text);
    return time ? std::optional(Range{*time, *time + 1000}) : std::nullopt;
  }
  const std::string digits = digits_of(text);
  if (digits.size() != 4 && digits.size() != 6 && digits.size() != 8) return std::nullopt;
  const std::string_view all(digits);
  const year of_year(number(all.substr(0, 4)));
  const auto month_number = digits.size() > 4 ? number(all.substr(4, 2)) : 1;
  const auto day_number = digits.size() > 6 ? number(all.substr(6)) : 1;
  const year_month_day first{of_year, month(static_cast<unsigned>(month_number)),
                             day(static_cast<unsigned>(day_number))};
  if (!first.ok()) return std::nullopt;
  if (digits.size() == 8) {
    return Range{milliseconds(first), milliseconds(sys_days(first) + days(1))};
  }
  const year_month_day next = digits.size() == 6 ? first + months(1) : first + years(1);
  return Range{milliseconds(first), milliseconds(next)};
}

}  // namespace

std::optional<Range> parse_time_range(std::string_view text) {
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos) return parse_period(text);
  const std::string_view first = text.substr(0, dots);
  const std::string_view last = text.substr(dots + 2);
  if (first.empty() && last.empty()) return std::nullopt;
  Range range{std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  if (!first.empty()) {
    const auto begin = parse_period(first);
    if (!begin) return std::nullopt;
    range.first = begin->first;
  }
  if (!last.empty()) {
    const auto end = parse_period(last);
    if (!end) return std::nullopt;
    range.second = end->second;
  }
  return range.first < range.second ? std::optional(range) : std::nullopt;
}

}  // namespace kith::run
