#include "look_through.h"

#include <algorithm>
#include <chrono>

namespace kith::server {
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
