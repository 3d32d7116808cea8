// How a job ends early: by its callback, by what it throws, without threads.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "kith/progress.h"
#include "kith/status.h"

#include "base/memory.h"
#include "base/parallel/thread_pool.h"

namespace kith::run {

// How the progress callback of a job stops it.

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

// What a job says of threads that could not be started.

// A note of `progress` where the pool has fewer threads than were asked for; to be called once, as
// the job begins.
void note_missing_threads(const ThreadPool& pool, const ProgressCallback& progress);

// Where exceptions end: the library above throws none.

// What `job` returns, a Status or a Result; an exception that it throws, such as std::bad_alloc,
// becomes an error.
template <class Job>
std::invoke_result_t<Job&> guarded(Job&& job) {
  try {
    return job();
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::memory,
                 "the machine has no memory left; give less memory to the job, or fewer threads"};
  } catch (const Unreadable& unreadable) {
    return unreadable.error();
  } catch (const Stopped& stopped) {
    return Error{ErrorKind::cancelled, stopped.what()};
  } catch (const std::length_error&) {
    return Error{ErrorKind::memory, "more was asked for than a machine can hold"};
  } catch (const std::logic_error& mistake) {
    return Error{ErrorKind::internal,
                 std::string("a mistake of kith, please report it: ") + mistake.what()};
  } catch (const std::exception& exception) {
    return Error{ErrorKind::io, exception.what()};
  } catch (...) {
    return Error{ErrorKind::io, "the progress callback threw something that is no std::exception"};
  }
}

// Calls job(), which works in the job directory `run` and finishes it. Returns the report; what
// fails is abandoned.
template <class Directory, class Job>
auto run_job(Directory& run, Job&& job) -> Result<std::decay_t<decltype(run.report())>> {
  Status status = guarded(job);
  if (status) return run.report();
  // What stays is removed by the same command.
  clean_up([&] { run.abandon(); });
  return std::move(status).error();
}

}  // namespace kith::run
