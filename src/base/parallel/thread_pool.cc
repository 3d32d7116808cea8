#include "base/parallel/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include <sched.h>

#include "base/check.h"
#include "base/machine.h"

namespace kith {
namespace {

// Between two calls of poll() while the other workers are still at work.
constexpr std::chrono::milliseconds poll_pause(50);

unsigned usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const bool known = sched_getaffinity(0, sizeof(set), &set) == 0;
  const unsigned processors = known ? static_cast<unsigned>(CPU_COUNT(&set))
                                    : std::max(1u, std::thread::hardware_concurrency());
  // A share of a processor is used by a thread of its own.
  const std::optional<double> share = processor_limit();
  return share ? std::clamp(static_cast<unsigned>(std::ceil(*share)), 1u, processors) : processors;
}

}  // namespace

std::jthread ThreadPool::start_thread(std::function<void()> work) {
  return std::jthread(std::move(work));
}

ThreadPool::ThreadPool(unsigned threads, const StartThread& start)
    : size_(threads == 0 ? usable_processors() : threads), kept_(size_) {
  try {
    threads_.reserve(size_ - 1);
    for (unsigned worker = 1; worker < size_; ++worker) {
      threads_.push_back(start([this, worker] { work(worker); }));
    }
  } catch (const std::system_error&) {
    keep_some();
  } catch (const std::bad_alloc&) {
    keep_some();
  }
}

ThreadPool::~ThreadPool() {
  end_workers(0);
}

// The limit is one of address space or of processes, and the job needs some of either itself: half
// of the threads that were started end again.
void ThreadPool::keep_some() {
  const auto started = static_cast<unsigned>(threads_.size()) + 1;
  const unsigned kept = started - started / 2;
  missing_ = size_ - kept;
  size_ = kept;
  end_workers(kept);
}

void ThreadPool::end_workers(unsigned kept) {
  {
    const std::lock_guard lock(mutex_);
    kept_ = kept;
  }
  start_.notify_all();
  threads_.resize(kept == 0 ? 0 : kept - 1);  // joins
}

void ThreadPool::work(unsigned worker) {
  size_t seen = 0;
  for (;;) {
    const std::function<void(unsigned)>* job = nullptr;
    {
      std::unique_lock lock(mutex_);
      start_.wait(lock, [&] { return worker >= kept_ || generation_ != seen; });
      if (worker >= kept_) return;
      seen = generation_;
      job = job_;
    }
    call(*job, worker);
    const std::lock_guard lock(mutex_);
    if (--running_ == 0) done_.notify_one();
  }
}

void ThreadPool::call(const std::function<void(unsigned)>& job, unsigned worker) {
  try {
    job(worker);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!thrown_) thrown_ = std::current_exception();
  }
}

void ThreadPool::run(const std::function<void(unsigned worker)>& job) {
  {
    const std::lock_guard lock(mutex_);
    KITH_CHECK(running_ == 0);
    job_ = &job;
    running_ = size_ - 1;
    ++generation_;
  }
  start_.notify_all();
  call(job, 0);
  std::unique_lock lock(mutex_);
  const auto is_done = [&] { return running_ == 0; };
  // Once something is thrown nothing is asked any more.
  while (poll_ && !thrown_ && !done_.wait_for(lock, poll_pause, is_done)) {
    lock.unlock();
    call([this](unsigned) { poll(); }, 0);
    lock.lock();
  }
  done_.wait(lock, is_done);
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void ThreadPool::for_chunks(
    size_t n, size_t grain,
    const std::function<void(size_t begin, size_t end, unsigned worker)>& job) {
  KITH_CHECK(grain > 0);
  std::atomic<size_t> next = 0;
  const auto take_chunks = [&](unsigned worker) {
    try {
      for (;;) {
        if (worker == 0) poll();
        const size_t begin = next.fetch_add(grain, std::memory_order_relaxed);
        if (begin >= n) return;
        job(begin, std::min(n, begin + grain), worker);
      }
    } catch (...) {
      next.store(n, std::memory_order_relaxed);
      throw;
    }
  };
  if (size_ == 1 || n <= grain) {
    take_chunks(0);
  } else {
    run(take_chunks);
  }
}

Status ThreadPool::try_chunks(
    size_t n, size_t grain,
    const std::function<Status(size_t begin, size_t end, unsigned worker)>& job) {
  FirstError error;
  for_chunks(n, grain, [&](size_t begin, size_t end, unsigned worker) {
    if (!error.failed()) error.keep(job(begin, end, worker));
  });
  return error.status();
}

Status ThreadPool::try_each(size_t n, const std::function<Status(size_t i, unsigned worker)>& job) {
  return try_chunks(n, 1, [&](size_t i, size_t, unsigned worker) { return job(i, worker); });
}

}  // namespace kith
