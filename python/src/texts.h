// Texts that Python gives: str, bytes, sequences of these, or an Arrow column of strings.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>

#include "arrow_import.h"

namespace kith::python {

// Views of texts, valid as long as this and the object that they are of.
struct Texts {
  std::vector<std::string_view> views;  // of a null an empty one
  std::vector<bool> nulls;              // as many
  bool is_one = false;                  // a str or bytes by itself
  std::shared_ptr<ArrowColumn> column;  // or null
  nanobind::object held;                // of a sequence: its items, which stay
};

// What a column of a table is to be.
enum class ColumnUse : uint8_t {
  text,  // strings
  id,    // strings or integers, which are written in decimal
};

// A column of a table: an object for which is_arrow() holds. Errors: of kind not_found when there
// is no such column, of kind usage when it is of another type.
struct TextColumn {
  std::vector<std::string_view> views;
  std::vector<bool> nulls;
  std::vector<std::string> numbers;  // what views of integers are of
};
TextColumn read_text_column(const ArrowColumn& table, const std::string& name, ColumnUse use);

// Reads an object without copying its texts. Raises TypeError or UsageError that names the row of
// what is no text. `what` is what messages call the object.
Texts take_texts(nanobind::handle object, const char* what);

}  // namespace kith::python
