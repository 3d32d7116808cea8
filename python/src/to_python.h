// A table on its way to Python.
#pragma once

#include <memory>
#include <string>

#include <nanobind/nanobind.h>

#include "table.h"

namespace kith::python {

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

}  // namespace kith::python
