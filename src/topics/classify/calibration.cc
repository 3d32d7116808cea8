#include "topics/classify/calibration.h"

#include <algorithm>
#include <functional>

namespace kith::topics {

Calibration::Calibration(std::span<const Trial> trials, double accuracy) {
  std::vector<Trial> falling(trials.begin(), trials.end());
  std::ranges::sort(falling, std::greater(), &Trial::margin);
  find_sure_margin(falling, accuracy);
  fit_steps(falling);
}

void Calibration::find_sure_margin(std::span<const Trial> falling, double accuracy) {
  for (size_t i = 0; i < falling.size(); ++i) {
    right_ += falling[i].is_right ? 1 : 0;
    // Equal margins are sure together.
    if (i + 1 < falling.size() && falling[i + 1].margin == falling[i].margin) continue;
    if (static_cast<double>(right_) < accuracy * static_cast<double>(i + 1)) continue;
    sure_margin_ = falling[i].margin;
    sure_ = i + 1;
    sure_and_right_ = right_;
  }
}

void Calibration::fit_steps(std::span<const Trial> falling) {
  struct Pool {
    float margin;  // the least
    double right = 0;
    double all = 0;
  };
  std::vector<Pool> pools;
  for (size_t i = falling.size(); i > 0;) {
    Pool equal{falling[i - 1].margin};
    for (; i > 0 && falling[i - 1].margin == equal.margin; --i) {
      equal.right += falling[i - 1].is_right ? 1 : 0;
      equal.all += 1;
    }
    // What is below may not be right more often.
    while (!pools.empty() && pools.back().right * equal.all >= equal.right * pools.back().all) {
      equal = {pools.back().margin, pools.back().right + equal.right, pools.back().all + equal.all};
      pools.pop_back();
    }
    pools.push_back(equal);
  }
  for (const Pool& pool : pools) steps_.push_back({pool.margin, pool.right / pool.all});
}

double Calibration::confidence(float margin) const {
  if (steps_.empty()) return 0;
  const auto above = std::ranges::upper_bound(steps_, margin, {}, &Step::margin);
  return above == steps_.begin() ? steps_.front().confidence : (above - 1)->confidence;
}

}  // namespace kith::topics
