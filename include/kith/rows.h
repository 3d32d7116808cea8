// Rows for pipes: tab-separated under a line of column names, or JSON lines.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)

namespace kith {

enum class ListFormat : uint8_t { tsv, jsonl };
std::string_view name(ListFormat value);

// Text; words, which are one text or an array; a count; a share with six decimals, enough to tell
// similarities apart; or true and false.
using RowField =
    std::variant<std::string_view, std::span<const std::string>, uint64_t, double, bool>;

// How the rows of one list are written. Immutable, thread-safe.
class RowFormat {
 public:
  RowFormat(ListFormat format, std::vector<std::string_view> columns)
      : format_(format), columns_(std::move(columns)) {}

  // The line of column names; empty for JSON lines.
  std::string header() const;
  // Appends a line. Foreign text is escaped (escape.h). REQUIRES: as many fields as columns.
  void append(std::string& out, std::initializer_list<RowField> fields) const;

 private:
  ListFormat format_;
  std::vector<std::string_view> columns_;
};

}  // namespace kith

#pragma GCC visibility pop
