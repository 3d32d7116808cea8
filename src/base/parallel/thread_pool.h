// Threads: this folder is the only place that starts them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "kith/status.h"

namespace kith {

// To align what a worker writes at every step, where that of all workers lies in an array: else
// they would wait for each other's cache lines, of which a processor fetches two at a time.
inline constexpr size_t worker_alignment = 128;

// A fixed set of workers that run one job at a time. The calling thread is worker 0, so a
// pool of one starts no thread and runs everything in the caller: the sequential twin.
// run() and for_chunks() return when all workers are done. They must not be called from
// inside a job, nor from two threads at once.
class ThreadPool {
 public:
  // Starts a thread that runs its argument; throws std::system_error where it cannot.
  using StartThread = std::function<std::jthread(std::function<void()>)>;

  // threads = 0 means one per processor that this process may use. Where one cannot be started
  // (ulimit -u or -v, a limit of processes of a container), the pool has half of those that could:
  // see missing().
  explicit ThreadPool(unsigned threads) : ThreadPool(threads, start_thread) {}
  // For tests: with threads that cannot be started.
  ThreadPool(unsigned threads, const StartThread& start);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned size() const { return size_; }
  // How many of the threads that were asked for the pool goes without.
  unsigned missing() const { return missing_; }

  // From now on `poll` is called on the calling thread before each of its chunks in for_chunks(),
  // and by poll(). What it throws ends the job like what the job throws. May be null.
  void set_poll(std::function<void()> poll) { poll_ = std::move(poll); }
  // For jobs of run() that take long: to be called by worker 0 only.
  void poll() const {
    if (poll_) poll_();
  }

  // Calls job(worker) once on every worker, worker in [0, size()). What a job throws is thrown here
  // when all workers are done; of several exceptions the first.
  void run(const std::function<void(unsigned worker)>& job);

  // Cuts [0, n) into chunks of `grain` (> 0) and calls job(begin, end, worker) once for
  // each; chunks are handed out in order to whichever worker is free. Once something is thrown no
  // further chunk is.
  void for_chunks(size_t n, size_t grain,
                  const std::function<void(size_t begin, size_t end, unsigned worker)>& job);

  // The same of jobs that can fail: the first error is returned, and once there is one no further
  // chunk is handed out.
  Status try_chunks(size_t n, size_t grain,
                    const std::function<Status(size_t begin, size_t end, unsigned worker)>& job);
  // The same one by one: job(i, worker) for each i in [0, n).
  Status try_each(size_t n, const std::function<Status(size_t i, unsigned worker)>& job);

 private:
  static std::jthread start_thread(std::function<void()> work);
  void keep_some();
  void end_workers(unsigned kept);
  void work(unsigned worker);
  void call(const std::function<void(unsigned)>& job, unsigned worker);

  unsigned size_;
  unsigned missing_ = 0;
  std::function<void()> poll_;
  std::mutex mutex_;
  std::condition_variable start_;
  std::condition_variable done_;
  const std::function<void(unsigned)>* job_ = nullptr;  // guarded by mutex_
  size_t generation_ = 0;                               // guarded by mutex_
  unsigned running_ = 0;                                // guarded by mutex_
  unsigned kept_ = 0;          // guarded by mutex_; workers from here on end
  std::exception_ptr thrown_;  // guarded by mutex_
  std::vector<std::jthread> threads_;
};

// What parallel jobs that can fail share: the first error wins, the others see it and stop.

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

// One piece of work that goes on while its caller does something else.

// Where there is one thread only, or none can be started, the work is done when it is waited for:
// the sequential twin. Not thread-safe; what the work uses must stay until it has been waited for,
// or until the destructor, which waits too.
class Background {
 public:
  // threads: as many as its caller may use, > 0.
  explicit Background(unsigned threads)
      : policy_(threads > 1 ? std::launch::async : std::launch::deferred) {}

  // Starts the next work. REQUIRES: the one before has been waited for.
  void start(const std::function<Status()>& work) {
    try {
      done_ = std::async(policy_, work);
    } catch (const std::system_error&) {
      policy_ = std::launch::deferred;
      done_ = std::async(policy_, work);
    }
  }
  // What the last work returned; ok when none was started since.
  Status wait() { return done_.valid() ? done_.get() : Status::ok(); }

 private:
  std::launch policy_;
  std::future<Status> done_;
};

}  // namespace kith
