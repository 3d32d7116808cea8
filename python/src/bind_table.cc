// kith.Table: the result of a query, in the memory layout of Arrow.
#include <new>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "arrow_export.h"
#include "bindings.h"
#include "capsules.h"
#include "to_python.h"

namespace kith::python {
namespace {

namespace nb = nanobind;

nb::object stream_capsule(const SharedTable& table) {
  auto* const stream = new ArrowArrayStream{};
  export_stream(table, stream);
  return capsule_of(stream, "arrow_array_stream");
}

nb::object schema_capsule(const SharedTable& table) {
  auto* const schema = new ArrowSchema{};
  export_schema(*table, schema);
  return capsule_of(schema, "arrow_schema");
}

nb::object value_at(const Column& column, size_t row) {
  switch (column.type()) {
    case ColumnType::text:
      return nb::cast(column.text(row));
    case ColumnType::count:
      return nb::cast(column.count(row));
    case ColumnType::number:
      return nb::cast(column.number(row));
    case ColumnType::flag:
      return nb::cast(column.flag(row));
    case ColumnType::texts:
      return nb::cast(column.texts(row));
    case ColumnType::numbers:
      return nb::cast(column.numbers(row));
  }
  return nb::none();
}

nb::list column_values(const SharedTable& table, const std::string& name) {
  const Column* const column = table->find(name);
  if (column == nullptr) {
    std::string names;
    for (const Column& one : table->columns) {
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", one.name());
    }
    throw nb::key_error(fmt::format("no column '{}'; there are {}", name, names).c_str());
  }
  nb::list values;
  for (size_t row = 0; row < column->rows(); ++row) values.append(value_at(*column, row));
  return values;
}

nb::list table_rows(const SharedTable& table) {
  nb::list rows;
  for (size_t row = 0; row < table->rows(); ++row) {
    nb::dict values;
    for (const Column& column : table->columns) {
      values[nb::cast(column.name())] = value_at(column, row);
    }
    rows.append(values);
  }
  return rows;
}

std::vector<std::string> column_names(const SharedTable& table) {
  std::vector<std::string> names;
  for (const Column& column : table->columns) names.push_back(column.name());
  return names;
}

}  // namespace

void add_table(nb::module_& module) {
  nb::class_<PythonTable>(
      module, "Table",
      "Columns of a run. polars, pyarrow, pandas, DuckDB and others take it as it is, through the\n"
      "Arrow PyCapsule interface and without a copy: polars.DataFrame(table), "
      "pyarrow.table(table).")
      .def(
          "__arrow_c_stream__",
          [](const PythonTable& self, const nb::object& /*requested_schema*/) {
            return stream_capsule(self.table);
          },
          nb::arg("requested_schema") = nb::none(),
          nb::sig("def __arrow_c_stream__(self, requested_schema: object = None) -> object"),
          "The table as a stream of one batch (Arrow PyCapsule interface).")
      .def(
          "__arrow_c_schema__", [](const PythonTable& self) { return schema_capsule(self.table); },
          "The types of the columns (Arrow PyCapsule interface).")
      .def(
          "__len__", [](const PythonTable& self) { return self.table->rows(); },
          "The number of rows.")
      .def(
          "__getitem__",
          [](const PythonTable& self, const std::string& name) {
            return column_values(self.table, name);
          },
          nb::arg("name"), nb::sig("def __getitem__(self, name: str) -> list[typing.Any]"),
          "The values of a column, as a list. KeyError when there is none.")
      .def_prop_ro(
          "columns", [](const PythonTable& self) { return column_names(self.table); },
          "The names of the columns.")
      .def_prop_ro(
          "report",
          [](const PythonTable& self) {
            return nb::module_::import_("json").attr("loads")(self.report);
          },
          nb::sig("def report(self) -> dict[str, typing.Any]"),
          "What the job that made the table counted and chose; empty for tables of a run.")
      .def(
          "rows", [](const PythonTable& self) { return table_rows(self.table); },
          nb::sig("def rows(self) -> list[dict[str, typing.Any]]"),
          "The rows, each as a dict of column names and values.")
      .def("__repr__", [](const PythonTable& self) {
        return fmt::format("<kith.Table of {} rows: {}>", self.table->rows(),
                           fmt::join(column_names(self.table), ", "));
      });
}

}  // namespace kith::python
