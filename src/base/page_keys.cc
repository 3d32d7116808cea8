#include "base/page_keys.h"

#include <algorithm>

namespace kith {
namespace {

constexpr uint32_t taken = UINT32_MAX;
constexpr int64_t most_seconds = taken - 2;

}  // namespace

// Of a date seconds since 1970, or until the end of what 32 bits hold.
uint32_t capture_rank(std::optional<Captures> by_date, int64_t time) {
  if (!by_date || time == no_time) return 0;
  const int64_t seconds = std::clamp<int64_t>(time / 1000, 0, most_seconds);
  return static_cast<uint32_t>(1 + (*by_date == Captures::last ? seconds : most_seconds - seconds));
}

PageKeys::Capture PageKeys::capture_of(const Key128& url, int64_t time) const {
  return {url.high, static_cast<uint32_t>(url.low), capture_rank(by_date_, time)};
}

bool PageKeys::add(const Key128& url, int64_t time) {
  const Capture capture = capture_of(url, time);
  const auto [at, is_new] = captures_[url.high % tables].insert(capture);
  if (is_new) {
    size_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  if (capture.rank > at->rank) {
    at->rank = capture.rank;
    has_better_.store(true, std::memory_order_relaxed);
  }
  return false;
}

bool PageKeys::contains(const Key128& url) const {
  return captures_[url.high % tables].contains(capture_of(url, no_time));
}

bool PageKeys::take(const Key128& url, int64_t time) {
  const Capture capture = capture_of(url, time);
  const auto& table = captures_[url.high % tables];
  const auto at = table.find(capture);
  if (at == table.end() || at->rank != capture.rank) return false;
  at->rank = taken;
  return true;
}

}  // namespace kith
