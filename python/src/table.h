// Tables of results, and lists of finished runs as tables.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/status.h"

namespace kith::python {

// Tables that a run gives to Python: columns in the memory layout of Arrow.

// What a column holds; its Arrow format is in brackets.
enum class ColumnType : uint8_t {
  text,     // UTF-8 with 64-bit offsets [U]
  count,    // uint64 [L]
  number,   // double [g]
  flag,     // bool, one bit each [b]
  texts,    // lists of text [+L of U]
  numbers,  // lists of double [+L of g]
};

// One column, filled row by row by the add of its type.
class Column {
 public:
  Column(std::string name, ColumnType type) : name_(std::move(name)), type_(type) {}

  const std::string& name() const { return name_; }
  ColumnType type() const { return type_; }
  size_t rows() const { return rows_; }

  void add(std::string_view text);  // text
  void add(uint64_t count);         // count
  void add(double number);          // number
  void add(bool flag);              // flag
  void add(std::span<const std::string_view> texts);
  void add(const std::vector<std::string>& texts);
  void add(const std::vector<double>& numbers);

  // Makes room for so many rows like those so far: growing copies, and touches new memory.
  void expect(size_t rows);

  // REQUIRES of these: row < rows(), and the type.
  std::string_view text(size_t row) const;
  uint64_t count(size_t row) const { return counts_[row]; }
  double number(size_t row) const { return numbers_[row]; }
  bool flag(size_t row) const { return (bits_[row / 8] >> (row % 8) & 1) != 0; }
  std::vector<std::string_view> texts(size_t row) const;
  std::vector<double> numbers(size_t row) const;

  // The buffers as Arrow has them, of a list first its own, then those of what is in it.
  const std::vector<int64_t>& list_offsets() const { return list_offsets_; }
  const std::vector<int64_t>& text_offsets() const { return text_offsets_; }
  const std::string& bytes() const { return bytes_; }
  const std::vector<uint64_t>& counts() const { return counts_; }
  const std::vector<double>& numbers() const { return numbers_; }
  const std::vector<uint8_t>& bits() const { return bits_; }

 private:
  void add_text(std::string_view text);

  std::string name_;
  ColumnType type_;
  size_t rows_ = 0;
  std::vector<int64_t> list_offsets_{0};
  std::vector<int64_t> text_offsets_{0};
  std::string bytes_;
  std::vector<uint64_t> counts_;
  std::vector<double> numbers_;
  std::vector<uint8_t> bits_;
};

// Columns of as many rows each. Immutable once it is shared: what is exported reads its buffers.
struct Table {
  std::vector<Column> columns;

  size_t rows() const { return columns.empty() ? 0 : columns.front().rows(); }
  // Null when there is no such column.
  const Column* find(std::string_view name) const;
};

using SharedTable = std::shared_ptr<const Table>;

// The first rows, at most n.
Table head(const Table& table, size_t n);

// Words as the lists of the command write them, in one field: a file of CSV has no lists.
std::string in_one_text(const std::vector<std::string>& words);

// The lists that a run of dedup leaves (docs/formats/dedup.md, "Lists").

// A field of a TSV list as it was before it was escaped (docs/formats/escapes.md).
std::string unescape_tsv(std::string_view field);

// Reads a TSV list with these columns: text, counts and numbers. Errors: no such file (not_found);
// other columns, or a row that does not fit them (corrupt, with the line).
Result<Table> read_tsv_list(const std::string& path,
                            const std::vector<std::pair<std::string, ColumnType>>& columns);

}  // namespace kith::python
