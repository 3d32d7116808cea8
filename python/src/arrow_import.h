// Columns that Python gives: what has __arrow_c_stream__ or __arrow_c_array__ (the Arrow PyCapsule
// interface), read where it lies.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>

#include "arrow_abi.h"

namespace kith::python {

// A column in chunks. They are released with the last copy of `owner`.
struct ArrowColumn {
  ArrowSchema schema{};
  std::vector<ArrowArray> chunks;

  ArrowColumn() = default;
  ArrowColumn(ArrowColumn&&) = delete;
  ~ArrowColumn();

  size_t rows() const;
};

// Whether an object has one of the two methods.
bool is_arrow(nanobind::handle object);

// Takes the column of an object for which is_arrow() holds; of a table with one column that one.
// Raises TypeError for a table with several, and whatever the object raises. `what` is what
// messages call it.
std::shared_ptr<ArrowColumn> take_column(nanobind::handle object, const char* what);

// Takes a table with all of its columns: the schema and every chunk are structs, unless the object
// is but one column. An error of kind corrupt when its stream fails.
std::shared_ptr<ArrowColumn> take_table(nanobind::handle object);

// Whether row i of a chunk is null.
inline bool is_null(const ArrowArray& chunk, size_t i) {
  const auto* const bits = static_cast<const uint8_t*>(chunk.buffers[0]);
  const size_t at = static_cast<size_t>(chunk.offset) + i;
  return bits != nullptr && (bits[at / 8] >> (at % 8) & 1) == 0;
}

}  // namespace kith::python
