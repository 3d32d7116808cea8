#include "cli/output/text_format.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace kith::cli {

std::string with_commas(uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string grouped;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

std::string counted(uint64_t number, std::string_view one, std::string_view many) {
  if (number == 1) return fmt::format("1 {}", one);
  if (!many.empty()) return fmt::format("{} {}", with_commas(number), many);
  return fmt::format("{} {}s", with_commas(number), one);
}

namespace {

std::string in_units(double bytes, double step, const std::array<std::string_view, 5>& units) {
  size_t unit = 0;
  while (bytes >= step - 0.5 && unit + 1 < units.size()) {
    bytes /= step;
    ++unit;
  }
  const bool is_whole = unit == 0 || bytes >= 99.5 || bytes == std::floor(bytes);
  return fmt::format("{:.{}f} {}", bytes, is_whole ? 0 : 1, units[unit]);
}

}  // namespace

std::string human_bytes(double bytes) {
  return in_units(bytes, 1000, {"B", "kB", "MB", "GB", "TB"});
}

std::string human_memory(double bytes) {
  return in_units(bytes, 1024, {"B", "KiB", "MiB", "GiB", "TiB"});
}

std::string human_seconds(double seconds) {
  if (seconds < 10) return fmt::format("{:.2f} s", seconds);
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<uint64_t>(std::llround(seconds));
  if (whole < 2 * 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string similarity_text(double similarity) {
  return fmt::format("{:.6f}", similarity);
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

}  // namespace kith::cli
