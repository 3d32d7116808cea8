// Things of a kind that come one after the other, on any thread, of which one is to fail.
#pragma once

#include <atomic>
#include <cstdint>

namespace kith::test {

// What this thread does while one of these lives is the test's, and no thing of the job.
class Untroubled {
 public:
  Untroubled() { ++depth_; }
  ~Untroubled() { --depth_; }
  Untroubled(const Untroubled&) = delete;
  Untroubled& operator=(const Untroubled&) = delete;
  static bool is_here() { return depth_ > 0; }

 private:
  static inline thread_local int depth_ = 0;
};

// What make() returns, which is the test's too.
template <class Make>
auto untroubled(const Make& make) {
  const Untroubled ours;
  return make();
}

// Thread-safe. Needs no memory.
class Countdown {
 public:
  // From now on thing n fails, counted from 0; then no further one does.
  void begin(uint64_t n) {
    left_ = static_cast<int64_t>(n);
    is_on_ = true;
  }
  // Whether it came.
  bool end() {
    is_on_ = false;
    return left_ < 0;
  }
  // A thing comes: whether it is to fail.
  bool is_turn() { return is_on_ && !Untroubled::is_here() && left_.fetch_sub(1) == 0; }

 private:
  std::atomic<bool> is_on_ = false;
  std::atomic<int64_t> left_ = 0;
};

}  // namespace kith::test
