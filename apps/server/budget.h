// The memory that all connections share.
#pragma once

#include <atomic>
#include <cstdint>

namespace kith::server {

// Thread-safe.
class Budget {
 public:
  explicit Budget(uint64_t bytes) : bytes_(bytes) {}

  // False, and nothing taken, where less is left.
  bool take(uint64_t bytes) {
    uint64_t taken = taken_;
    do {
      if (bytes > bytes_ - taken) return false;
    } while (!taken_.compare_exchange_weak(taken, taken + bytes));
    return true;
  }
  void give_back(uint64_t bytes) { taken_ -= bytes; }
  uint64_t taken() const { return taken_; }

 private:
  const uint64_t bytes_;
  std::atomic<uint64_t> taken_{0};
};

// What one connection has taken of a budget, given back when it goes. Not thread-safe.
class Charge {
 public:
  explicit Charge(Budget& budget) : budget_(budget) {}
  ~Charge() { budget_.give_back(bytes_); }
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;

  // Has taken so many bytes from now on. False, and nothing changed, where the budget lacks them.
  bool set(uint64_t bytes) {
    if (bytes > bytes_ && !budget_.take(bytes - bytes_)) return false;
    if (bytes < bytes_) budget_.give_back(bytes_ - bytes);
    bytes_ = bytes;
    return true;
  }

 private:
  Budget& budget_;
  uint64_t bytes_ = 0;
};

}  // namespace kith::server
