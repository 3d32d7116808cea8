// kith.audit: families of pages that are no content, as tables.
#include <functional>
#include <memory>
#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "kith/audit.h"

#include "bindings.h"
#include "python_progress.h"
#include "python_tables.h"

namespace kith::python {
namespace {

namespace nb = nanobind;

Table families_of(const Audit& audit) {
  Table table{{{"family", ColumnType::count},
               {"kind", ColumnType::text},
               {"pages", ColumnType::count},
               {"hosts", ColumnType::count},
               {"host", ColumnType::text},
               {"pattern", ColumnType::text},
               {"score", ColumnType::number},
               {"reasons", ColumnType::texts},
               {"title", ColumnType::text},
               {"url", ColumnType::text}}};
  uint64_t number = 0;
  for (const AuditFamily& family : audit.families) {
    table.columns[0].add(++number);
    table.columns[1].add(name(family.kind));
    table.columns[2].add(uint64_t{family.urls.size()});
    table.columns[3].add(family.hosts);
    table.columns[4].add(std::string_view(family.host));
    table.columns[5].add(std::string_view(family.pattern));
    table.columns[6].add(family.score);
    table.columns[7].add(family.reasons);
    table.columns[8].add(std::string_view(family.sample));
    table.columns[9].add(std::string_view(family.urls.front().url));
  }
  return table;
}

Table urls_of(const Audit& audit) {
  Table table{{{"url", ColumnType::text},
               {"family", ColumnType::count},
               {"kind", ColumnType::text},
               {"stays", ColumnType::flag}}};
  uint64_t number = 0;
  for (const AuditFamily& family : audit.families) {
    ++number;
    for (const AuditUrl& url : family.urls) {
      table.columns[0].add(std::string_view(url.url));
      table.columns[1].add(number);
      table.columns[2].add(name(family.kind));
      table.columns[3].add(url.stays);
    }
  }
  return table;
}

Table hosts_of(const Audit& audit) {
  Table table{{{"host", ColumnType::text},
               {"pages", ColumnType::count},
               {"no_content", ColumnType::count},
               {"share", ColumnType::number}}};
  for (const AuditHost& host : audit.hosts) {
    table.columns[0].add(std::string_view(host.host));
    table.columns[1].add(host.pages);
    table.columns[2].add(host.no_content);
    table.columns[3].add(static_cast<double>(host.no_content) / static_cast<double>(host.pages));
  }
  return table;
}

// families, urls, hosts, pages, no_content, exclude list.
nb::tuple audit_of(const AuditOptions& options, const nb::object& tables,
                   const nb::object& progress) {
  AuditOptions values = options;
  values.tables = tables_of(tables);
  PythonProgress show(progress);
  auto made = [&] {
    const nb::gil_scoped_release released;
    return audit_run(values, std::ref(show));
  }();
  show.raise_waiting();
  const Audit audit = value_or_raise(std::move(made));
  return nb::make_tuple(make_table([&] { return families_of(audit); }),
                        make_table([&] { return urls_of(audit); }),
                        make_table([&] { return hosts_of(audit); }), audit.pages, audit.no_content,
                        exclude_list(audit));
}

}  // namespace

void add_audit(nb::module_& module) {
  module.def(
      "audit",
      [](const std::string& run, uint32_t min_pages, double min_score, uint64_t memory,
         unsigned threads, const nb::object& tables, const nb::object& progress) {
        AuditOptions options;
        options.run = run;
        options.min_pages = min_pages;
        options.min_score = min_score;
        options.memory = memory;
        options.threads = threads;
        return audit_of(options, tables, progress);
      },
      nb::arg("run"), nb::arg("min_pages"), nb::arg("min_score"), nb::arg("memory"),
      nb::arg("threads"), nb::arg("tables").none(), nb::arg("progress").none());
}

}  // namespace kith::python
