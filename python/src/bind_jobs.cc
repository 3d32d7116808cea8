// The jobs: kith.cluster, kith.paper, kith.dedup, kith.merge. Their options are words of the
// command line.
#include <string>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "kith/kith.h"

#include "bindings.h"
#include "cli/job_options.h"
#include "cli/program.h"
#include "errors.h"
#include "python_progress.h"

namespace kith::python {
namespace {

namespace nb = nanobind;
using Words = std::vector<std::string>;

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
        return run_job(cli::cluster_options(words), cluster_crawl, progress);
      },
      nb::arg("words"), nb::arg("progress").none());
  module.def(
      "paper",
      [](const Words& words, const nb::object& progress) {
        return run_job(cli::paper_options(words), cluster_crawl, progress);
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
  module.def(
      "bytes_of", [](const std::string& size) { return value_or_raise(parse_size(size)); },
      nb::arg("size"));
  module.def("run_command", &run_command, nb::arg("arguments"));
}

}  // namespace kith::python
