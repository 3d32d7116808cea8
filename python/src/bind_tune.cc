// kith.tune: which tables find pairs of a similarity, and what they promise.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "kith/tune.h"

#include "bindings.h"
#include "errors.h"
#include "to_python.h"

namespace kith::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

Table table_plans(double similarity, double recall, uint32_t lanes, uint32_t max_tables) {
  Table table{{{"per_key", ColumnType::count},
               {"tables", ColumnType::count},
               {"recall", ColumnType::number},
               {"false_negatives", ColumnType::number},
               {"false_positives", ColumnType::number}}};
  for (const TablePlan& plan :
       value_or_raise(plan_all_tables(similarity, recall, lanes, max_tables))) {
    table.columns[0].add(uint64_t{plan.per_key});
    table.columns[1].add(uint64_t{plan.tables});
    table.columns[2].add(plan.recall);
    table.columns[3].add(plan.false_negatives);
    table.columns[4].add(plan.false_positives);
  }
  return table;
}

}  // namespace

void add_tune(nb::module_& module) {
  module.def(
      "tune",
      [](double similarity, double recall, uint32_t lanes, uint32_t max_tables) {
        return make_table([&] { return table_plans(similarity, recall, lanes, max_tables); });
      },
      "similarity"_a, nb::kw_only(), "recall"_a = 0.9, "lanes"_a = 128, "max_tables"_a = 512,
      "For each k the fewest tables with keys of k lanes that find pairs of a similarity with "
      "this\n"
      "recall: per_key (k), tables (l), recall, and how far the S-curve is from a step at the\n"
      "similarity (false_negatives, false_positives). UsageError when none does; it names the "
      "best.\n\n"
      "    >>> kith.tune(0.8, recall=0.95).rows()[0]['per_key']\n"
      "    1\n");
  module.def(
      "recall_at",
      [](double similarity, uint32_t per_key, uint32_t tables, uint32_t lanes) {
        TablePlan plan;
        plan.lanes = lanes;
        plan.per_key = per_key;
        plan.tables = tables;
        raise_error(validate(plan));
        if (!(similarity >= 0 && similarity <= 1)) {
          throw Raised{
              {ErrorKind::usage, fmt::format("similarity {}: must be from 0 to 1", similarity)}};
        }
        return recall_at(plan, similarity);
      },
      "similarity"_a, nb::kw_only(), "per_key"_a, "tables"_a, "lanes"_a = 128,
      "R(s), the chance that a pair of this similarity meets in one of the tables at least: the\n"
      "S-curve. similarity: [0, 1]; per_key: 1 to 8; tables: 1 to 1024. UsageError else.\n\n"
      "    >>> [round(kith.recall_at(s, per_key=4, tables=16), 2) for s in (0.2, 0.5, 0.8)]\n"
      "    [0.03, 0.64, 1.0]\n");
}

}  // namespace kith::python
