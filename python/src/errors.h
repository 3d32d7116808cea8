// Errors of kith as exceptions of Python: the classes of kith/_errors.py, one for each kind.
#pragma once

#include <utility>

#include <nanobind/nanobind.h>

#include "kith/status.h"

namespace kith::python {

// From now on Raised becomes the exception of its kind.
void add_errors();

// An error on its way to Python.
struct Raised {
  Error error;
};

inline void raise_error(const Status& status) {
  if (!status) throw Raised{status.error()};
}

template <class T>
T value_or_raise(Result<T> result) {
  if (!result) throw Raised{std::move(result).error()};
  return std::move(result).value();
}

}  // namespace kith::python
