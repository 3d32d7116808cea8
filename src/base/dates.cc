#include "base/dates.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/bytes.h"

namespace kith {
namespace {

constexpr int64_t ms_of_minute = 60'000;

// Takes a number of `digits` digits from the front; nothing when there are fewer.
std::optional<int> take_number(std::string_view& text, size_t digits) {
  int value = 0;
  if (text.size() < digits) return std::nullopt;
  for (size_t i = 0; i < digits; ++i) {
    if (!is_ascii_digit(text[i])) return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<int64_t> parse_seconds(std::string_view text) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  // The years 0 and 9999.
  constexpr double least = -62167219200.0;
  constexpr double most = 253402300800.0;
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!(seconds >= least && seconds < most)) return std::nullopt;
  return std::llround(seconds * 1000);
}

// YYYY-MM-DD from the front, as milliseconds.
std::optional<int64_t> take_day(std::string_view& text) {
  const auto year = take_number(text, 4);
  if (!year || !take(text, "-")) return std::nullopt;
  const auto month = take_number(text, 2);
  if (!month || !take(text, "-")) return std::nullopt;
  const auto day = take_number(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::milliseconds(std::chrono::sys_days(date).time_since_epoch()).count();
}

// HH:MM from the front, as milliseconds.
std::optional<int64_t> take_minutes(std::string_view& text) {
  const auto hours = take_number(text, 2);
  if (!hours || *hours > 23 || !take(text, ":")) return std::nullopt;
  const auto minutes = take_number(text, 2);
  if (!minutes || *minutes > 59) return std::nullopt;
  return (*hours * 60 + *minutes) * ms_of_minute;
}

// :SS, perhaps with a fraction, from the front; 60 is a leap second.
std::optional<int64_t> take_seconds(std::string_view& text) {
  if (!take(text, ":")) return 0;
  const auto seconds = take_number(text, 2);
  if (!seconds || *seconds > 60) return std::nullopt;
  int64_t ms = *seconds * int64_t{1000};
  if (!take(text, ".,")) return ms;
  if (text.empty() || !is_ascii_digit(text.front())) return std::nullopt;
  for (int64_t unit = 100; !text.empty() && is_ascii_digit(text.front()); unit /= 10) {
    ms += unit * (text.front() - '0');
    text.remove_prefix(1);
  }
  return ms;
}

std::optional<int64_t> take_zone(std::string_view& text) {
  if (text.empty() || take(text, "Zz")) return 0;
  const bool is_east = text.front() == '+';
  if (!take(text, "+-")) return std::nullopt;
  const auto ahead = take_minutes(text);
  if (!ahead) return std::nullopt;
  return is_east ? *ahead : -*ahead;
}

}  // namespace

std::optional<int64_t> parse_time(std::string_view text) {
  if (const auto seconds = parse_seconds(text)) return seconds;
  const auto day = take_day(text);
  if (!day || text.empty()) return day;
  if (!take(text, "Tt ")) return std::nullopt;
  const auto minutes = take_minutes(text);
  if (!minutes) return std::nullopt;
  const auto seconds = take_seconds(text);
  if (!seconds) return std::nullopt;
  const auto zone = take_zone(text);
  if (!zone || !text.empty()) return std::nullopt;
  return *day + *minutes + *seconds - *zone;
}

namespace {

bool is_year_of_the_web(std::string_view text) {
  return text.starts_with("19") || text.starts_with("20");
}

// Of a number of milliseconds since 1970, which as seconds would lie behind the year 9999.
std::optional<int64_t> parse_milliseconds(std::string_view text) {
  constexpr int64_t least = 253'402'300'800;
  constexpr int64_t most = 1000 * least;
  int64_t ms = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ms);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return ms >= least && ms < most ? std::optional(ms) : std::nullopt;
}

std::chrono::sys_time<std::chrono::milliseconds> point_of(int64_t ms) {
  return std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(ms));
}

std::chrono::year_month_day day_of(int64_t ms) {
  return std::chrono::floor<std::chrono::days>(point_of(ms));
}

}  // namespace

std::optional<int64_t> parse_digits(std::string_view text) {
  if (!is_year_of_the_web(text)) return std::nullopt;
  std::string dashed;
  for (size_t i = 0; i < 8 && i < text.size(); ++i) {
    if (i == 4 || i == 6) dashed += '-';
    dashed += text[i];
  }
  std::string_view day_text = dashed;
  const auto day = take_day(day_text);
  if (!day || text.size() < 8) return std::nullopt;
  text.remove_prefix(8);
  int64_t ms = 0;
  constexpr int64_t units[] = {60 * ms_of_minute, ms_of_minute, 1000};
  constexpr int limits[] = {23, 59, 60};
  for (size_t i = 0; i < std::size(units); ++i) {
    const auto part = take_number(text, 2);
    if (!part) return *day + ms;
    if (*part > limits[i]) return std::nullopt;
    ms += *part * units[i];
  }
  return *day + ms + take_number(text, 3).value_or(0);
}

std::optional<int64_t> parse_date(std::string_view text) {
  constexpr size_t sizes[] = {8, 12, 14, 17};
  const bool is_number = std::ranges::all_of(text, is_ascii_digit);
  if (is_number && std::ranges::find(sizes, text.size()) != std::end(sizes)) {
    if (const auto time = parse_digits(text)) return time;
  }
  if (is_number) return std::nullopt;
  return parse_time(text);
}

std::optional<int64_t> parse_any_time(std::string_view text) {
  if (const auto date = parse_date(text)) return date;
  if (const auto seconds = parse_time(text)) return seconds;
  return parse_milliseconds(text);
}

std::string date_text(int64_t ms) {
  if (ms == no_time) return {};
  const std::chrono::year_month_day day = day_of(ms);
  const std::chrono::hh_mm_ss time(point_of(ms) - std::chrono::sys_days(day));
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(day.year()),
                  static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()),
                  time.hours().count(), time.minutes().count(), time.seconds().count());
  if (time.subseconds().count() != 0) text += fmt::format(".{:03}", time.subseconds().count());
  return text + "Z";
}

std::string month_text(int64_t ms) {
  return date_text(ms).substr(0, std::string_view("2024-01").size());
}

void MonthCounts::add(int64_t ms) {
  if (ms == no_time) return;
  const std::chrono::year_month_day day = day_of(ms);
  const std::chrono::sys_days first = day.year() / day.month() / 1;
  ++counts_[std::chrono::milliseconds(first.time_since_epoch()).count()];
}

Months MonthCounts::list() const {
  Months months;
  for (const auto& [first, count] : counts_) months.emplace_back(month_text(first), count);
  return months;
}

}  // namespace kith
