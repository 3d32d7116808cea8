// What answers questions: threads of their own, the memory that they share, and what is counted.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "kith/status.h"

#include "server/message.h"

namespace kith::server {

// The memory that all connections share.

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

// The threads that make answers.

// Each lane but the instant one has threads of its own, and a queue. Thread-safe.
class Workers {
 public:
  // So many threads for the lanes quick and slow each, and one that writes; fewer, but one each,
  // where no more can be started. An error where not even these can be.
  static Result<std::unique_ptr<Workers>> start(unsigned threads);
  // Ends jobs that have begun. Others are dropped.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // `job` throws nothing.
  void add(Lane lane, std::function<void()> job);

 private:
  struct Queue {
    std::deque<std::function<void()>> jobs;
    std::condition_variable has_job;
    std::vector<std::thread> threads;
  };

  Workers() = default;
  Queue& queue_of(Lane lane) { return queues_[static_cast<size_t>(lane) - 1]; }
  Status start(Queue& queue);
  void work(Queue& queue);

  std::mutex mutex_;  // guards jobs and is_ending_
  std::array<Queue, 3> queues_;
  bool is_ending_ = false;
  std::unique_ptr<char[]> kept_;  // while threads are started; never touched
};

// Counts of requests, as Prometheus reads them (text exposition format 0.0.4).

// Thread-safe.
class Metrics {
 public:
  void count(std::string_view route, unsigned status, double seconds, uint64_t bytes);
  std::string text() const;

 private:
  // Upper bounds of the buckets of times, in seconds.
  static constexpr std::array<double, 10> bounds{.0001, .00025, .0005, .001, .0025,
                                                 .005,  .01,    .05,   .25,  1};
  struct Times {
    std::array<uint64_t, bounds.size()> below{};
    uint64_t requests = 0;
    double seconds = 0;
    uint64_t bytes = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, unsigned>, uint64_t> requests_;  // by route and status
  std::map<std::string, Times> times_;                             // by route
};

}  // namespace kith::server
