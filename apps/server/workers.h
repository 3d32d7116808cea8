// The threads that make answers.
#pragma once

#include <array>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "kith/status.h"

#include "message.h"

namespace kith::server {

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

}  // namespace kith::server
