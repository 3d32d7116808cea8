// Progress on a terminal: stage, share done, rate, time left, on one line of standard error
// that is redrawn. Not drawn when standard error is no terminal, or with --quiet. Notes and
// finished stages are messages (console.h).
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "kith/progress.h"

namespace kith::cli {

class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Redraws at most ten times a second.
  void show(const Progress& progress);
  // Wipes the line, so that what is printed next starts clean.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void finish(std::string_view stage);
  bool terminal_;
  bool drawn_ = false;
  std::string stage_;
  Clock::time_point stage_start_;
  Clock::time_point last_finish_ = Clock::now();
  Clock::time_point last_draw_;
};

// The line without the terminal's control codes, at most `width` columns wide.
std::string progress_line(const Progress& progress, double seconds_in_stage, size_t width);

}  // namespace kith::cli
