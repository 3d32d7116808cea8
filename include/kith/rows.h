// What is printed: foreign text made fit for it, and rows for pipes.
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

// Foreign text (titles, URLs, ids, names of files) made fit for a terminal, a table or JSON.
//
// What is escaped is the same everywhere: control characters (U+0000 to U+001F, U+007F to U+009F),
// the line and paragraph separators (U+2028, U+2029), the characters that steer the direction of
// writing (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), and bytes that are not
// UTF-8. All other characters stay as they are. docs/formats/escapes.md.

// A field of a TSV row, which can be undone: \t, \n, \r and \\ for tab, line ends and backslash;
// \xHH for another byte below 0x20, for 0x7f and for each byte that is not UTF-8; \u{HEX} for any
// other character that is escaped. HEX is in upper case.
std::string tsv_field(std::string_view text);

// A line for a person: as tsv_field(), but a backslash stays single, so that it cannot be undone.
std::string printable(std::string_view text);

// A JSON string with its quotes. A byte that is not UTF-8 becomes U+FFFD, since JSON has no bytes.
std::string json_string(std::string_view text);

// A JSON document as a library has written it, with all that is to be escaped as \uXXXX.
// REQUIRES: `json` is valid JSON, whose control characters below U+0020 inside strings are escaped.
std::string escaped_json(std::string_view json);

// A field of a CSV row (RFC 4180): as printable(), in quotes where a comma or a quote is in it, and
// quotes doubled. It has no line end.
std::string csv_field(std::string_view text);

// Rows for pipes: tab-separated or comma-separated under a line of column names, or JSON lines.
// csv_bom is csv with the byte order mark by which spreadsheets know UTF-8. Files of parquet and of
// arrow (Arrow's IPC file format) are made by whoever can (TableFiles::create).
enum class ListFormat : uint8_t { tsv, csv, csv_bom, jsonl, parquet, arrow };
std::string_view name(ListFormat value);  // "tsv", "csv", "csv-bom", "jsonl", "parquet", "arrow"
// Of a file that holds such rows: "tsv", "csv", "jsonl", "parquet", "arrow".
std::string_view extension(ListFormat value);
// Whether it is parquet or arrow.
bool is_table(ListFormat format);

// A column of a list, and what its fields are (RowField).
struct RowColumn {
  enum class Type : uint8_t { text, words, count, share, boolean };

  // NOLINTNEXTLINE(google-explicit-constructor): most columns are text.
  constexpr RowColumn(const char* column, Type its_type = Type::text)
      : name(column), type(its_type) {}

  std::string_view name;
  Type type;
};
std::string_view name(RowColumn::Type value);  // "text", "words", "count", "share", "boolean"

// Text; words, which are one text or an array; a count; a share with six decimals, enough to tell
// similarities apart; or true and false.
using RowField =
    std::variant<std::string_view, std::span<const std::string>, uint64_t, double, bool>;

// How the rows of one list are written; those of parquet and arrow as JSON lines, of which the file
// is then made. Immutable, thread-safe.
class RowFormat {
 public:
  RowFormat(ListFormat format, std::vector<RowColumn> columns)
      : format_(format), columns_(std::move(columns)) {}

  ListFormat format() const { return format_; }
  const std::vector<RowColumn>& columns() const { return columns_; }
  // The line of column names, after a byte order mark for csv_bom; empty for JSON lines.
  std::string header() const;
  // Appends a line. Foreign text is escaped (see above). REQUIRES: as many fields as columns, each
  // of the type of its column.
  void append(std::string& out, std::initializer_list<RowField> fields) const;

 private:
  ListFormat format_;
  std::vector<RowColumn> columns_;
};

}  // namespace kith

#pragma GCC visibility pop
