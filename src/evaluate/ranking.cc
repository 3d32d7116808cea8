#include "evaluate/ranking.h"

#include <algorithm>
#include <numeric>

namespace kith::evaluate {

void PrecisionCounter::add(std::span<const uint8_t> is_right) {
  if (is_right.empty()) {
    ++empty_;
    return;
  }
  ++lists_;
  for (size_t i = 0; i < precision_ranks.size(); ++i) {
    const size_t depth = std::min<size_t>(precision_ranks[i], is_right.size());
    const auto top = is_right.first(depth);
    const auto right = std::accumulate(top.begin(), top.end(), uint64_t{0});
    sums_[i].precision += static_cast<double>(right) / static_cast<double>(depth);
    if (is_right.size() >= precision_ranks[i]) ++sums_[i].full;
  }
}

RankingPrecision PrecisionCounter::precision() const {
  RankingPrecision ranking;
  ranking.pages = lists_;
  ranking.without = empty_;
  for (size_t i = 0; i < precision_ranks.size(); ++i) {
    PrecisionAt at{precision_ranks[i], std::nullopt, sums_[i].full};
    if (lists_ > 0) at.precision = sums_[i].precision / static_cast<double>(lists_);
    ranking.at.push_back(at);
  }
  return ranking;
}

}  // namespace kith::evaluate
