// What parallel jobs that can fail share: the first error wins, the others see it and stop.
#pragma once

#include <atomic>
#include <mutex>
#include <utility>

#include "kith/status.h"

namespace kith {

// Thread-safe.
class FirstError {
 public:
  // Keeps the error unless one is held already. Returns whether `status` was ok.
  bool keep(Status status) {
    if (status.is_ok()) return true;
    const std::lock_guard lock(mutex_);
    if (first_.is_ok()) first_ = std::move(status);
    failed_.store(true, std::memory_order_relaxed);
    return false;
  }
  // Cheap: for loops that should end early.
  bool failed() const { return failed_.load(std::memory_order_relaxed); }
  // REQUIRES: the jobs are done.
  Status status() const { return first_; }

 private:
  std::mutex mutex_;
  std::atomic<bool> failed_ = false;
  Status first_;
};

}  // namespace kith
