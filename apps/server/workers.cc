#include "workers.h"

#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace kith::server {

Result<std::unique_ptr<Workers>> Workers::start(unsigned threads) {
  std::unique_ptr<Workers> workers(new Workers);
  KITH_TRY(workers->start(workers->queue_of(Lane::write), 1));
  KITH_TRY(workers->start(workers->queue_of(Lane::quick), threads));
  KITH_TRY(workers->start(workers->queue_of(Lane::slow), threads));
  return workers;
}

Status Workers::start(Queue& queue, unsigned threads) {
  for (unsigned i = 0; i < threads; ++i) {
    try {
      queue.threads.emplace_back([this, &queue] { work(queue); });
    } catch (const std::system_error& error) {
      if (i > 0) break;
      return Error{ErrorKind::memory,
                   fmt::format("no thread can be started ({}): give the server more threads or "
                               "memory (ulimit -u, -v, or the limits of its control group)",
                               error.what())};
    }
  }
  return Status::ok();
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  for (Queue& queue : queues_) queue.has_job.notify_all();
  for (Queue& queue : queues_) {
    for (std::thread& thread : queue.threads) thread.join();
  }
}

void Workers::add(Lane lane, std::function<void()> job) {
  Queue& queue = queue_of(lane);
  {
    const std::lock_guard lock(mutex_);
    queue.jobs.push_back(std::move(job));
  }
  queue.has_job.notify_one();
}

void Workers::work(Queue& queue) {
  for (;;) {
    std::function<void()> job;
    {
      std::unique_lock lock(mutex_);
      queue.has_job.wait(lock, [&] { return is_ending_ || !queue.jobs.empty(); });
      if (is_ending_) return;
      job = std::move(queue.jobs.front());
      queue.jobs.pop_front();
    }
    job();
  }
}

}  // namespace kith::server
