// Columns of tables in Arrow's memory layout, read as texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"
#include "kith/table_files.h"

namespace kith::crawl {

// A schema of the C interface, which is released whatever happens.
struct OwnSchema : ArrowSchema {
  OwnSchema() : ArrowSchema{} {}
  OwnSchema(OwnSchema&&) = delete;
  ~OwnSchema() {
    if (release != nullptr) release(this);
  }
};

// Whether row i of an array is null; its type has a bitmap.
bool is_null_at(const ArrowArray& array, size_t i);

// The type of a column in words, for messages: "list", "dictionary (categorical)".
std::string arrow_type(const ArrowSchema& column);

// The same of the column of this name or path; nothing where there is none.
std::optional<std::string> type_of_column(const ArrowSchema& table, std::string_view name);

// The names of a table's columns, those in structs as paths with dots.
std::vector<std::string> column_names(const ArrowSchema& table, size_t most);

// A column that is read as texts: strings or bytes in any layout, also in dictionaries and structs,
// and integers, dates and points in time, which are written in decimal: of points in time the
// seconds since 1970, or the date. Floating-point numbers only where these are asked for. Immutable
// but for a buffer of its own.
class TableColumn {
 public:
  // The column of this name, or of the path with dots. Nothing where there is none of such a type.
  static std::optional<TableColumn> find(const ArrowSchema& table, std::string_view name,
                                         bool with_reals = false);

  // Of numbers, dates or points in time.
  bool is_number() const { return is_number_; }

  // The value of a row of a batch of the table; nothing for null. Valid until the next call.
  std::optional<std::string_view> value(const ArrowArray& table, size_t row);

 private:
  using Read = std::string_view (*)(const ArrowArray& array, size_t at, std::string& buffer);
  using Index = uint64_t (*)(const ArrowArray& array, size_t at);

  bool set_type(const ArrowSchema& column, bool with_reals);

  std::vector<int64_t> path_;
  Read read_ = nullptr;     // of the column, or its dictionary
  Index index_ = nullptr;   // of a column with a dictionary
  bool is_number_ = false;  // not of strings or bytes
  std::string buffer_;
};

}  // namespace kith::crawl
