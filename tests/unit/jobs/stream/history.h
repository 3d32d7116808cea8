// What came to a stream so far, one page after the other, and what must have been said of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "unit/jobs/stream/model.h"
#include "unit/jobs/stream/steps.h"

namespace kith::jobs {

// The time of a step that is so far ahead that it counts as the latest one before it.
constexpr int64_t far_ahead = INT64_MAX / 2;

class History {
 public:
  explicit History(const StreamOptions& options) : options_(options), model_(options) {}

  size_t size() const { return steps_.size(); }
  const Model& model() const { return model_; }
  // Of all pages so far the latest one; the least number before the first.
  int64_t clock() const { return clock_; }
  // What is said of it now.
  StreamAnswer add(Step step) {
    steps_.push_back(step);
    if (step.time == far_ahead) step.time = clock_;
    clock_ = std::max(clock_, step.time);
    StreamAnswer answer = take(model_, options_, std::move(step));
    answers_.push_back(text_of(answer));
    return answer;
  }
  // Only the first steps survived.
  void cut(size_t steps) {
    History shorter(options_);
    for (size_t at = 0; at < steps; ++at) shorter.add(steps_[at]);
    steps_ = std::move(shorter.steps_);
    model_ = std::move(shorter.model_);
    answers_ = std::move(shorter.answers_);
    clock_ = shorter.clock_;
  }
  // What was said, a line each, without the first lines.
  std::string answers_after(uint64_t lines) const {
    std::string all;
    for (const std::string& answer : answers_) all += answer;
    size_t at = 0;
    for (; lines > 0; --lines) at = all.find('\n', at) + 1;
    return all.substr(at);
  }

 private:
  StreamOptions options_;
  std::vector<Step> steps_;
  Model model_;
  std::vector<std::string> answers_;
  int64_t clock_ = INT64_MIN;
};

}  // namespace kith::jobs
