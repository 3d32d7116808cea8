// Where exceptions end: the library above throws none.
#pragma once

#include <exception>
#include <new>

#include "kith/status.h"

namespace kith::pipeline {

// What `job` returns; an exception of its, such as that no memory is left, becomes an error.
template <class Job>
Status guarded(Job&& job) {
  try {
    return job();
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::memory,
                 "the machine has no memory left; give a smaller --memory, or fewer --threads"};
  } catch (const std::exception& exception) {
    return Error{ErrorKind::io, exception.what()};
  }
}

}  // namespace kith::pipeline
