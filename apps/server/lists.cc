#include "server/lists.h"

#include <algorithm>
#include <chrono>

namespace kith::server {

Result<Slice> slice_of(const Target& target, uint64_t rows) {
  constexpr uint64_t usual_rows = 50;
  const Parameters parameters(target);
  Slice slice;
  slice.rows = rows;
  KITH_ASSIGN(slice.size, parameters.number("size", usual_rows, 1, most_rows));
  KITH_ASSIGN(slice.page, parameters.number("page", 1, 1, UINT32_MAX));
  slice.begin = std::min(rows, (slice.page - 1) * slice.size);
  slice.end = std::min(rows, slice.begin + slice.size);
  return slice;
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto most_time = std::chrono::milliseconds(40);
// Reading the clock takes longer than reading a title.
constexpr uint64_t between_looks = 256;

}  // namespace

Result<bool> look_through(uint64_t n, const std::function<Result<bool>(uint64_t)>& look) {
  const Clock::time_point end = Clock::now() + most_time;
  for (uint64_t i = 0; i < n; ++i) {
    if (i % between_looks == between_looks - 1 && Clock::now() > end) return false;
    KITH_ASSIGN(const bool goes_on, look(i));
    if (!goes_on) return false;
  }
  return true;
}

void make_ascii_lower(std::string_view text, std::string& lower) {
  lower.resize(text.size());
  std::ranges::transform(text, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  });
}

}  // namespace kith::server
