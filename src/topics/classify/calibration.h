// How sure a margin makes, by examples whose class was held back (docs/algorithms/classify.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace kith::topics {

// An example that was classified without having been learnt from.
struct Trial {
  float margin;  // >= 0
  bool is_right;
};

// Pure; immutable, thread-safe.
class Calibration {
 public:
  // accuracy: in (0, 1].
  Calibration(std::span<const Trial> trials, double accuracy);

  // The least margin that is sure: the lowest of those for which the share that is right of the
  // trials with it or more reaches the accuracy. Infinite where none does.
  float sure_margin() const { return sure_margin_; }
  bool is_sure(float margin) const { return margin >= sure_margin_; }
  // Trials that are sure, and of these, right.
  size_t sure() const { return sure_; }
  size_t sure_and_right() const { return sure_and_right_; }
  size_t right() const { return right_; }

  // The probability that a class with this margin is right, in [0, 1]: the isotonic regression of
  // the trials (pool adjacent violators; Zadrozny and Elkan 2002).
  double confidence(float margin) const;

 private:
  struct Step {
    float margin;  // from here on
    double confidence;
  };

  void find_sure_margin(std::span<const Trial> falling, double accuracy);
  void fit_steps(std::span<const Trial> falling);

  float sure_margin_ = std::numeric_limits<float>::infinity();
  size_t sure_ = 0;
  size_t sure_and_right_ = 0;
  size_t right_ = 0;
  std::vector<Step> steps_;  // by margin, ascending
};

}  // namespace kith::topics
