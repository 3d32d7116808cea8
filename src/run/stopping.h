// How the progress callback of a job stops it.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "kith/progress.h"

namespace kith::run {

// Thrown on the thread that has called the job; guarded() makes an error of kind cancelled of it.
struct Stopped : std::exception {
  const char* what() const noexcept override { return "stopped by the progress callback"; }
};

// The callback that a caller has given to a job, as the job uses it. On the caller's thread only.
class StoppingProgress {
 public:
  explicit StoppingProgress(const ProgressCallback& given)
      : now_(given ? std::make_shared<Now>(given) : nullptr) {}

  // Calls what the caller has given, and throws Stopped when that returns false. Empty where the
  // caller has given nothing.
  ProgressCallback callback() const {
    if (now_ == nullptr) return {};
    return [now = now_](const Progress& progress) { now->tell(progress); };
  }

  // Says again what was said last, where that is a while ago: for loops that are within a step
  // (ThreadPool::set_poll()). Empty likewise.
  std::function<void()> poll() const {
    if (now_ == nullptr) return nullptr;
    return [now = now_] { now->tell_again(); };
  }

 private:
  class Now {
   public:
    explicit Now(const ProgressCallback& given) : given_(given) {}

    void tell(const Progress& progress) {
      stage_ = progress.stage;
      unit_ = progress.unit;
      done_ = progress.done;
      total_ = progress.total;
      call(progress);
    }
    void tell_again() {
      constexpr std::chrono::milliseconds pause(100);
      if (std::chrono::steady_clock::now() - told_ < pause) return;
      call({stage_, done_, total_, unit_});
    }

   private:
    void call(const Progress& progress) {
      const bool goes_on = given_(progress);
      told_ = std::chrono::steady_clock::now();
      if (!goes_on) throw Stopped();
    }

    const ProgressCallback given_;
    std::string stage_;
    std::string unit_;
    double done_ = 0;
    double total_ = 0;
    std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
  };

  std::shared_ptr<Now> now_;
};

}  // namespace kith::run
