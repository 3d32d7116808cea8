// Tables that kith has no reader and no writer of, such as Parquet files: whoever calls opens them,
// and hands over their rows by Arrow's C data interface; and makes such files of lists.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/rows.h"
#include "kith/status.h"

// The structs of https://arrow.apache.org/docs/format/CDataInterface.html, which every Arrow
// library declares like this.
extern "C" {

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

#endif
}

#pragma GCC visibility push(default)

namespace kith {

using WriteBytes = std::function<Status(std::string_view bytes)>;

// A file of a list that is being made (TableFiles::create). Not thread-safe.
class ListFile {
 public:
  ListFile() = default;
  ListFile(const ListFile&) = delete;
  ListFile& operator=(const ListFile&) = delete;
  virtual ~ListFile() = default;

  // Adds rows: whole JSON lines, each with all columns, in their order.
  virtual Status append(std::string_view lines) = 0;
  // After all rows: what is left of the file is written. Called once.
  virtual Status finish() = 0;
};

// Columns that a copy of a table has at its end, in place of its own of the same names.
struct AddedColumns {
  std::vector<RowColumn> columns = {};  // none: nothing is added
  // The values of a row, as a JSON object; empty where all are null.
  std::function<std::string(uint64_t row)> values = {};
};

// Opens tables for a job (ReadOptions::tables). A job calls it from any of its threads, one call at
// a time for an input. Inputs are named as in ReadOptions::inputs, and the files in a folder as
// FOLDER/FILE.
class TableFiles {
 public:
  TableFiles() = default;
  TableFiles(const TableFiles&) = delete;
  TableFiles& operator=(const TableFiles&) = delete;
  virtual ~TableFiles() = default;

  // Whether an input that is no file is a table: "-", which then is no standard input, or what has
  // "://" in it. Files are tables by their names (docs/formats/inputs.md).
  virtual bool has(const std::string& input) const = 0;

  // The columns of a table, as a struct. The caller releases the schema.
  virtual Status schema(const std::string& input, ArrowSchema& schema) = 0;

  // The rows of a table, with these of its columns, each of them whole. Called once an input, and
  // again where a job reads its inputs more than once. The caller releases the stream.
  virtual Status read(const std::string& input, const std::vector<std::string>& columns,
                      ArrowArrayStream& rows) = 0;

  // Writes the file that a table becomes without some of its rows (ascending, each once): all
  // columns, of the same types and in the same order, and those that are added, in the same format.
  virtual Status copy(const std::string& input, std::span<const uint64_t> removed,
                      const AddedColumns& added, const WriteBytes& write) = 0;

  // Begins a file with these columns, none of them null, whose bytes go to `write` in their order.
  // A text becomes a string, words a list of strings, a count int64, a share float64.
  // An error of kind usage where it is not overridden. REQUIRES: is_table(format.format()).
  virtual Result<std::unique_ptr<ListFile>> create(const RowFormat& format,
                                                   const WriteBytes& write);
};

// TableFiles::create(), and the same error where `tables` is null.
Result<std::unique_ptr<ListFile>> create_list_file(TableFiles* tables, const RowFormat& format,
                                                   const WriteBytes& write);

}  // namespace kith

#pragma GCC visibility pop
