// The extension module kith._kith: what the Python files of the package stand on.
#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "kith/kith.h"

#include "bindings.h"

NB_MODULE(_kith, module) {
  module.doc() = "The C++ part of kith.";
  module.def("version", [] { return std::string(kith::version()); });
  kith::python::add_errors();
  kith::python::add_jobs(module);
  kith::python::add_table(module);
  kith::python::add_run(module);
  kith::python::add_lists(module);
  kith::python::add_sketches(module);
  kith::python::add_extract(module);
  kith::python::add_compare(module);
  kith::python::add_tune(module);
  kith::python::add_memory(module);
  kith::python::add_dedup_table(module);
  kith::python::add_bags(module);
  kith::python::add_form_counts(module);
  kith::python::add_run_rows(module);
  kith::python::add_page_files(module);
  kith::python::add_blocks(module);
  kith::python::add_dedup_steps(module);
  kith::python::add_pages(module);
  kith::python::add_audit(module);
  kith::python::add_contaminated(module);
}
