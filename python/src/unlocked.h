// Work of C++ while other threads of Python go on.
#pragma once

#include <utility>

#include <nanobind/nanobind.h>

#include "errors.h"

namespace kith::python {

// The result of work() without the lock of the interpreter.
template <class Work>
auto unlocked(const Work& work) {
  auto result = [&] {
    const nanobind::gil_scoped_release released;
    return work();
  }();
  return value_or_raise(std::move(result));
}

}  // namespace kith::python
