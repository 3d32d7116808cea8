// kith.Table: the result of a query, in the memory layout of Arrow.
#include <algorithm>
#include <deque>
#include <functional>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "kith/text_dedup.h"

#include "arrow.h"
#include "bindings.h"
#include "options.h"
#include "python_progress.h"
#include "texts.h"

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

PythonTable first_rows(const PythonTable& self, size_t n) {
  return make_table([&] { return head(*self.table, n); });
}

// What needs another library, or makes text of values, is in Python: kith/_shown.py.
nb::object shown(const char* how, nb::handle self) {
  return nb::module_::import_("kith._shown").attr(how)(self);
}

std::vector<std::string> column_names(const SharedTable& table) {
  std::vector<std::string> names;
  for (const Column& column : table->columns) names.push_back(column.name());
  return names;
}

void add_views(nb::class_<PythonTable>& table) {
  table.def("head", &first_rows, nb::arg("n") = 5, "The first n rows, as a table.")
      .def(
          "to_polars", [](nb::handle_t<PythonTable> self) { return shown("to_polars", self); },
          nb::sig("def to_polars(self) -> polars.DataFrame"), "The same as a DataFrame of polars.")
      .def(
          "to_pandas", [](nb::handle_t<PythonTable> self) { return shown("to_pandas", self); },
          nb::sig("def to_pandas(self) -> pandas.DataFrame"), "The same as a DataFrame of pandas.")
      .def(
          "to_arrow", [](nb::handle_t<PythonTable> self) { return shown("to_arrow", self); },
          nb::sig("def to_arrow(self) -> pyarrow.Table"), "The same as a Table of pyarrow.")
      .def(
          "_repr_html_", [](nb::handle_t<PythonTable> self) { return shown("as_html", self); },
          nb::sig("def _repr_html_(self) -> str"), "What notebooks show: the first rows.");
}

}  // namespace

void add_table(nb::module_& module) {
  nb::class_<PythonTable> table(
      module, "Table",
      "Columns of a run. polars, pyarrow, pandas, DuckDB and others take it as it is, through the\n"
      "Arrow PyCapsule interface and without a copy: polars.DataFrame(table), "
      "pyarrow.table(table).");
  table
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
  add_views(table);
}

// The near-duplicates of a table, for kith.dedup.
namespace {

using nb::literals::operator""_a;

// The names of rows, each of which must have one of its own.
class RowIds {
 public:
  // Those of the next batch. An error of kind usage names the rows.
  Status add(const TextColumn& column) {
    for (size_t i = 0; i < column.size(); ++i) {
      const size_t row = ids_.size();
      if (column.is_null(i)) return refuse(column, fmt::format("row {} is null", row));
      const std::string& id = ids_.emplace_back(column.views()[i]);
      const auto [at, is_new] = rows_.emplace(id, row);
      if (is_new) continue;
      return refuse(column,
                    fmt::format("'{}' stands in row {} and in row {}", id, at->second, row));
    }
    return Status::ok();
  }
  std::string_view operator[](size_t row) const { return ids_[row]; }

 private:
  static Error refuse(const TextColumn& column, const std::string& why) {
    return {ErrorKind::usage, fmt::format("column '{}': {}", column.name(), why)};
  }

  std::deque<std::string> ids_;
  std::unordered_map<std::string_view, size_t> rows_;
};

// The documents of a table, for dedup_text_batches().
class TableDocuments {
 public:
  TableDocuments(nb::handle table, const std::string& text, const std::optional<std::string>& id)
      : batches_(table), texts_(batches_.schema(), text, ColumnUse::text) {
    if (id) id_column_.emplace(batches_.schema(), *id, ColumnUse::id);
  }

  Result<std::span<const std::string_view>> next() {
    do {
      KITH_ASSIGN(const bool is_there, batches_.next());
      if (!is_there) return std::span<const std::string_view>();
      texts_.read(batches_.batch());
    } while (texts_.size() == 0);
    count();
    if (id_column_) {
      id_column_->read(batches_.batch());
      KITH_TRY(ids_.add(*id_column_));
    }
    return texts_.views();
  }

  bool has_ids() const { return id_column_.has_value(); }
  const RowIds& ids() const { return ids_; }
  uint64_t nulls() const { return nulls_; }
  uint64_t empty() const { return empty_; }  // beside the nulls

 private:
  void count() {
    for (size_t i = 0; i < texts_.size(); ++i) {
      if (texts_.is_null(i)) {
        ++nulls_;
      } else if (texts_.views()[i].empty()) {
        ++empty_;
      }
    }
  }

  ArrowBatches batches_;
  TextColumn texts_;
  std::optional<TextColumn> id_column_;
  RowIds ids_;
  uint64_t nulls_ = 0;
  uint64_t empty_ = 0;
};

// The number of the group of every document that is kept, from 1, the largest first, of equal ones
// the one that is kept first; 0 where a document is alone.
std::vector<uint64_t> group_numbers(const std::vector<uint32_t>& kept) {
  std::vector<uint64_t> sizes(kept.size());
  for (const uint32_t document : kept) ++sizes[document];
  std::vector<uint32_t> groups;
  for (uint32_t i = 0; i < kept.size(); ++i) {
    if (sizes[i] > 1) groups.push_back(i);
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [&](uint32_t a, uint32_t b) { return sizes[a] > sizes[b]; });
  std::vector<uint64_t> numbers(kept.size());
  for (size_t i = 0; i < groups.size(); ++i) numbers[groups[i]] = i + 1;
  return numbers;
}

Table marks_of(const TextDedup& found, const TableDocuments& documents) {
  Table table{{{"group", ColumnType::count},
               {"keep", ColumnType::flag},
               {"kept_row", ColumnType::count},
               {"similarity", ColumnType::number}}};
  if (documents.has_ids()) table.columns.emplace_back("kept_id", ColumnType::text);
  const std::vector<uint64_t> groups = group_numbers(found.kept);
  for (size_t row = 0; row < found.kept.size(); ++row) {
    const uint32_t kept = found.kept[row];
    table.columns[0].add(groups[kept]);
    table.columns[1].add(kept == row);
    table.columns[2].add(uint64_t{kept});
    table.columns[3].add(found.similarity[row]);
    if (documents.has_ids()) table.columns[4].add(documents.ids()[kept]);
  }
  return table;
}

std::string report_of(const TextDedup& found, const TableDocuments& documents) {
  return fmt::format(
      R"({{"documents": {}, "null": {}, "empty": {}, "groups": {}, "removed": {}, "pairs": {}}})",
      found.kept.size(), documents.nulls(), documents.empty(), found.counts.groups,
      found.counts.removed, found.pairs.size());
}

PythonTable dedup_table(nb::handle object, const std::string& text,
                        const std::optional<std::string>& id, const std::vector<std::string>& words,
                        const nb::object& progress) {
  const DedupOptions options = value_or_raise(cli::dedup_options(words));
  TableDocuments documents(object, text, id);
  PythonProgress show(progress);
  auto outcome = [&] {
    const nb::gil_scoped_release released;
    return dedup_text_batches([&] { return documents.next(); }, options, options, options,
                              std::ref(show));
  }();
  show.raise_waiting();
  const TextDedup found = value_or_raise(std::move(outcome));
  PythonTable marks = make_table([&] { return marks_of(found, documents); });
  marks.report = report_of(found, documents);
  return marks;
}

}  // namespace

void add_dedup_table(nb::module_& module) {
  module.def("dedup_table", &dedup_table, "table"_a, "text"_a, "id"_a.none(), "words"_a,
             "progress"_a.none());
}

}  // namespace kith::python
