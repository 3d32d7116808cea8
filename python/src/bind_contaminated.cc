// kith.contaminated: items of test sets inside documents, as tables.
#include <functional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "kith/contaminated.h"

#include "bindings.h"
#include "cli/program.h"
#include "python_progress.h"
#include "python_tables.h"

namespace kith::python {
namespace {

namespace nb = nanobind;

Table empty_hits() {
  return {{{"suite", ColumnType::text},
           {"item", ColumnType::text},
           {"document", ColumnType::text},
           {"containment", ColumnType::number},
           {"shingles", ColumnType::count},
           {"before", ColumnType::text},
           {"passage", ColumnType::text},
           {"after", ColumnType::text}}};
}

void add_hit(const ContaminationHit& hit, Table& table) {
  table.columns[0].add(hit.suite);
  table.columns[1].add(hit.item);
  table.columns[2].add(hit.document);
  table.columns[3].add(hit.containment);
  table.columns[4].add(hit.shingles);
  table.columns[5].add(hit.before);
  table.columns[6].add(hit.passage);
  table.columns[7].add(hit.after);
}

Table items_of(const ContaminationReport& report) {
  Table table{{{"suite", ColumnType::text},
               {"item", ColumnType::text},
               {"documents", ColumnType::count},
               {"containment", ColumnType::number},
               {"document", ColumnType::text},
               {"passage", ColumnType::text}}};
  for (const ContaminatedItem& item : report.items) {
    table.columns[0].add(std::string_view(item.suite));
    table.columns[1].add(std::string_view(item.item));
    table.columns[2].add(item.documents);
    table.columns[3].add(item.containment);
    table.columns[4].add(std::string_view(item.document));
    table.columns[5].add(std::string_view(item.passage));
  }
  return table;
}

// hits, items, report.
nb::tuple contaminated(const std::vector<std::string>& words, const nb::object& tables,
                       const nb::object& progress) {
  ContaminationOptions options = value_or_raise(cli::contamination_options(words));
  options.tables = tables_of(tables);
  PythonProgress show(progress);
  Table hits = empty_hits();
  auto made = [&] {
    const nb::gil_scoped_release released;
    const auto take = [&hits](const ContaminationHit& hit) {
      add_hit(hit, hits);
      return true;
    };
    return find_contamination(options, take, std::ref(show));
  }();
  show.raise_waiting();
  const ContaminationReport report = value_or_raise(std::move(made));
  return nb::make_tuple(make_table([&] { return std::move(hits); }),
                        make_table([&] { return items_of(report); }), to_json(report));
}

}  // namespace

void add_contaminated(nb::module_& module) {
  module.def("contaminated", &contaminated, nb::arg("words"), nb::arg("tables").none(),
             nb::arg("progress").none());
}

}  // namespace kith::python
