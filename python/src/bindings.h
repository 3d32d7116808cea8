// What all bindings share: errors as exceptions, the lock of the interpreter, and values as those
// of Python.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <nanobind/nanobind.h>

#include "kith/status.h"

#include "table.h"

namespace kith::python {

// Errors of kith as exceptions of Python: the classes of kith/_errors.py, one for each kind.

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

// Work of C++ while other threads of Python go on.

// The result of work() without the lock of the interpreter.
template <class Work>
auto unlocked(const Work& work) {
  auto result = [&] {
    const nanobind::gil_scoped_release released;
    return work();
  }();
  return value_or_raise(std::move(result));
}

// A table on its way to Python.

// kith.Table. Whoever has taken its data by Arrow shares the table beyond the life of this object.
struct PythonTable {
  SharedTable table;
  std::string report = "{}";  // JSON: of the job that made it
};

// Makes a table without the lock of the interpreter. `make` touches no Python object; what it
// throws goes on.
template <class Make>
PythonTable make_table(Make make) {
  const nanobind::gil_scoped_release released;
  return {std::make_shared<const Table>(make())};
}

// What each file of bindings adds to the module.
void add_jobs(nanobind::module_& module);      // cluster, dedup, merge, option_names, run_command
void add_table(nanobind::module_& module);     // Table
void add_run(nanobind::module_& module);       // Run
void add_lists(nanobind::module_& module);     // read_tsv, table_of, is_dedup_run and the like
void add_sketches(nanobind::module_& module);  // Sets, shingles, MinHasher, SimHasher, BagSketcher

void add_compare(nanobind::module_& module);  // Comparison, compare
void add_extract(nanobind::module_& module);  // Page, extract
void add_tune(nanobind::module_& module);     // tune, recall_at
void add_memory(nanobind::module_& module);   // Index, cluster_bags
void add_dedup_table(nanobind::module_& module);
// Steps of jobs on many machines, for kith.spark.
void add_bag_steps(nanobind::module_& module);
void add_form_counts(nanobind::module_& module);
void add_bag_run(nanobind::module_& module);
void add_run_rows(nanobind::module_& module);
void add_crawl_steps(nanobind::module_& module);
void add_dedup_steps(nanobind::module_& module);
void add_table_join(nanobind::module_& module);
void add_blocks(nanobind::module_& module);
void add_pages(nanobind::module_& module);  // PageReader

}  // namespace kith::python
