// What all bindings share: errors as exceptions, the lock of the interpreter, and values as those
// of Python.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <nanobind/nanobind.h>

#include "kith/status.h"

#include "run/guarded.h"
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

// The value of work() without the lock of the interpreter: of a Result, or what it returns. What is
// wrong, or thrown, is raised.
template <class Work>
auto unlocked(const Work& work) {
  using Made = std::invoke_result_t<const Work&>;
  constexpr bool can_fail = std::is_constructible_v<Made, Error>;
  auto result = [&] {
    const nanobind::gil_scoped_release released;
    return run::guarded(
        [&]() -> std::conditional_t<can_fail, Made, Result<Made>> { return work(); });
  }();
  if constexpr (std::is_same_v<Made, Status>) {
    raise_error(result);
  } else {
    return value_or_raise(std::move(result));
  }
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
void add_bags(nanobind::module_& module);
void add_form_counts(nanobind::module_& module);
void add_run_rows(nanobind::module_& module);
void add_page_files(nanobind::module_& module);
void add_dedup_steps(nanobind::module_& module);
void add_blocks(nanobind::module_& module);
void add_pages(nanobind::module_& module);         // PageReader
void add_audit(nanobind::module_& module);         // audit
void add_contaminated(nanobind::module_& module);  // contaminated

}  // namespace kith::python
