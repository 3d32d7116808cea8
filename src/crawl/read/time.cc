#include "crawl/read/time.h"

#include <charconv>
#include <chrono>
#include <cmath>

#include "base/ascii.h"

namespace kith::crawl {
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

}  // namespace kith::crawl
