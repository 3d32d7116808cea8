// The progress of a job, for a Python callable.
#pragma once

#include <string_view>

#include <nanobind/nanobind.h>

#include "kith/progress.h"

namespace kith::python {

// Gives the progress of a job to a Python callable, if there is one.
class PythonProgress {
 public:
  explicit PythonProgress(const nanobind::object& callable) : callable_(callable) {}

  // False when the job is to stop: the callable raised, or Ctrl-C was pressed. The exception waits
  // in the interpreter, see raise_waiting().
  bool operator()(const Progress& progress) {
    const nanobind::gil_scoped_acquire gil;
    if (is_stopped_) return false;
    if (PyErr_CheckSignals() != 0) return stop();
    if (callable_.is_none()) return true;
    try {
      callable_(text(progress.stage), progress.done, progress.total, text(progress.unit),
                text(progress.note));
    } catch (nanobind::python_error& error) {
      error.restore();
      return stop();
    }
    return true;
  }

  // REQUIRES: the lock of the interpreter. Throws what the callable or Ctrl-C has raised.
  void raise_waiting() {
    if (!is_stopped_) return;
    PyErr_Restore(type_.release().ptr(), value_.release().ptr(), trace_.release().ptr());
    throw nanobind::python_error();
  }

 private:
  static nanobind::str text(std::string_view text) {
    return nanobind::str(text.data(), text.size());
  }

  bool stop() {
    PyObject* type = nullptr;
    PyObject* value = nullptr;
    PyObject* trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    type_ = nanobind::steal(type);
    value_ = nanobind::steal(value);
    trace_ = nanobind::steal(trace);
    is_stopped_ = true;
    return false;
  }

  nanobind::object callable_;
  bool is_stopped_ = false;
  nanobind::object type_, value_, trace_;
};

}  // namespace kith::python
