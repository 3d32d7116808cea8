// The jobs: kith.cluster, kith.dedup, kith.merge. Their options are words of the command line.
#include <string>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "kith/kith.h"

#include "bindings.h"
#include "cli/job_options.h"
#include "cli/program.h"
#include "errors.h"

namespace kith::python {
namespace {

namespace nb = nanobind;
using Words = std::vector<std::string>;

// Gives the progress of a job to a Python callable, if there is one.
class PythonProgress {
 public:
  explicit PythonProgress(const nb::object& callable) : callable_(callable) {}

  // False when the job is to stop: the callable raised, or Ctrl-C was pressed. The exception waits
  // in the interpreter, see raise_waiting().
  bool operator()(const Progress& progress) {
    const nb::gil_scoped_acquire gil;
    if (is_stopped_) return false;
    if (PyErr_CheckSignals() != 0) return stop();
    if (callable_.is_none()) return true;
    try {
      callable_(text(progress.stage), progress.done, progress.total, text(progress.unit),
                text(progress.note));
    } catch (nb::python_error& error) {
      error.restore();
      return stop();
    }
    return true;
  }

  // REQUIRES: the lock of the interpreter. Throws what the callable or Ctrl-C has raised.
  void raise_waiting() {
    if (!is_stopped_) return;
    PyErr_Restore(type_.release().ptr(), value_.release().ptr(), trace_.release().ptr());
    throw nb::python_error();
  }

 private:
  static nb::str text(std::string_view text) { return nb::str(text.data(), text.size()); }

  bool stop() {
    PyObject* type = nullptr;
    PyObject* value = nullptr;
    PyObject* trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    type_ = nb::steal(type);
    value_ = nb::steal(value);
    trace_ = nb::steal(trace);
    is_stopped_ = true;
    return false;
  }

  nb::object callable_;
  bool is_stopped_ = false;
  nb::object type_, value_, trace_;
};

// Runs a job with the lock of the interpreter released; the report comes back as JSON.
template <class Options, class Job>
std::string run_job(Result<Options> options, Job job, const nb::object& progress) {
  const Options values = value_or_raise(std::move(options));
  PythonProgress show(progress);
  auto report = [&] {
    const nb::gil_scoped_release released;
    return job(values, std::ref(show));
  }();
  show.raise_waiting();
  return to_json(value_or_raise(std::move(report)));
}

int run_command(Words arguments) {
  arguments.insert(arguments.begin(), "kith");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const nb::gil_scoped_release released;
  return cli::run_program(static_cast<int>(arguments.size()), pointers.data());
}

}  // namespace

void add_jobs(nb::module_& module) {
  module.def(
      "cluster",
      [](const Words& words, const nb::object& progress) {
        return run_job(cli::cluster_options(words), cluster, progress);
      },
      nb::arg("words"), nb::arg("progress").none());
  module.def(
      "dedup",
      [](const Words& words, const nb::object& progress) {
        return run_job(cli::dedup_options(words), dedup, progress);
      },
      nb::arg("words"), nb::arg("progress").none());
  module.def(
      "merge",
      [](const Words& words, const nb::object& progress) {
        return run_job(cli::merge_options(words), merge, progress);
      },
      nb::arg("words"), nb::arg("progress").none());
  module.def("option_names", &cli::option_names, nb::arg("job"));
  module.def("run_command", &run_command, nb::arg("arguments"));
}

}  // namespace kith::python
