// Where exceptions end: the library above throws none.
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "kith/status.h"

#include "base/clean_up.h"
#include "base/mapping.h"
#include "run/stopping.h"

namespace kith::run {

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
