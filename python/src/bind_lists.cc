// What the Python files need for runs of dedup.
#include <stdexcept>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "kith/kith.h"

#include "bindings.h"
#include "table.h"

namespace kith::python {
namespace {

namespace nb = nanobind;
using NamedTypes = std::vector<std::pair<std::string, std::string>>;

// "text", "count" or "number", the types of lists.
ColumnType type_named(const std::string& name) {
  if (name == "count") return ColumnType::count;
  return name == "number" ? ColumnType::number : ColumnType::text;
}

std::vector<std::pair<std::string, ColumnType>> columns_of(const NamedTypes& named) {
  std::vector<std::pair<std::string, ColumnType>> columns;
  for (const auto& [name, type] : named) columns.emplace_back(name, type_named(type));
  return columns;
}

void add_value(const nb::handle& value, Column& column) {
  switch (column.type()) {
    case ColumnType::count:
      column.add(nb::cast<uint64_t>(value));
      break;
    case ColumnType::number:
      column.add(nb::cast<double>(value));
      break;
    default:
      column.add(std::string_view(nb::cast<std::string>(value)));
  }
}

// A table of rows that are dicts.
PythonTable table_of(const NamedTypes& named, const nb::iterable& rows) {
  Table table;
  for (const auto& [name, type] : columns_of(named)) table.columns.emplace_back(name, type);
  for (const nb::handle row : rows) {
    for (Column& column : table.columns) add_value(row[column.name().c_str()], column);
  }
  return {std::make_shared<const Table>(std::move(table))};
}

}  // namespace

void add_lists(nb::module_& module) {
  module.def(
      "read_tsv",
      [](const std::string& path, const NamedTypes& named) {
        return make_table([&] { return value_or_raise(read_tsv_list(path, columns_of(named))); });
      },
      nb::arg("path"), nb::arg("columns"));
  module.def("table_of", &table_of, nb::arg("columns"), nb::arg("rows"));
  module.def("is_dedup_run", &is_dedup_run, nb::arg("directory"));
  module.def(
      "dedup_report",
      [](const std::string& directory) {
        return to_json(value_or_raise(read_dedup_report(directory)));
      },
      nb::arg("directory"));
  module.def(
      "verify_dedup_run",
      [](const std::string& directory) {
        const Status status = [&] {
          const nb::gil_scoped_release released;
          return verify_dedup_run(directory);
        }();
        raise_error(status);
      },
      nb::arg("directory"));
}

}  // namespace kith::python
