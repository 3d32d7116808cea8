// Tables that Python opens and makes, for the jobs.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>

#include "kith/table_files.h"

#include "arrow.h"

namespace kith::python {

// kith._tables.Tables as the library sees it. Each call takes the lock of the interpreter; what
// Python raises becomes an error of the kind of its class.
class PythonTables : public TableFiles {
 public:
  // REQUIRES: the lock of the interpreter, as for the destructor it takes it.
  explicit PythonTables(nanobind::object tables) : tables_(std::move(tables)) {}
  ~PythonTables() override;

  bool has(const std::string& input) const override;
  Status schema(const std::string& input, ArrowSchema& schema) override;
  Status read(const std::string& input, const std::vector<std::string>& columns,
              ArrowArrayStream& rows) override;
  Status copy(const std::string& input, std::span<const uint64_t> removed,
              const AddedColumns& added, const WriteBytes& write) override;
  Result<std::unique_ptr<ListFile>> create(const RowFormat& format,
                                           const WriteBytes& write) override;

 private:
  nanobind::object tables_;
  std::unique_ptr<ArrowStream> begun_;  // of a table in memory, whose schema was asked for
};

// Of None, nothing.
std::shared_ptr<TableFiles> tables_of(const nanobind::object& tables);

}  // namespace kith::python
