#include "sets_input.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nanobind/stl/vector.h>

#include "arrow_types.h"
#include "errors.h"

namespace kith::python {
namespace {

namespace nb = nanobind;

[[noreturn]] void refuse_row(size_t row, const std::string& why) {
  throw Raised{{ErrorKind::usage, fmt::format("sets: row {} {}", row, why)}};
}

// An error names the row of an item that is null, or below 0 where items are signed.
void check_items(const ArrowArray& items, size_t begin, size_t end, bool is_signed, size_t row) {
  const auto* const values = static_cast<const int64_t*>(items.buffers[1]) + items.offset;
  for (size_t i = begin; i < end; ++i) {
    if (is_null(items, i)) refuse_row(row, "has an item that is null; leave it out");
    if (is_signed && values[i] < 0) {
      refuse_row(row, fmt::format("has the item {}, which is not in [0, 2^64)", values[i]));
    }
  }
}

// The lists of a chunk, whose offsets are of this type.
template <class Offset>
void read_chunk(const ArrowArray& chunk, bool is_signed, Sets& sets) {
  const auto* const offsets = static_cast<const Offset*>(chunk.buffers[1]) + chunk.offset;
  const ArrowArray& items = *chunk.children[0];
  const auto* const elements = static_cast<const uint64_t*>(items.buffers[1]) + items.offset;
  const auto rows = static_cast<size_t>(chunk.length);
  if (rows == 0) return;
  // Room for the chunk at once, and for more of them when there are many.
  const size_t size = sets.elements.size() + static_cast<size_t>(offsets[rows] - offsets[0]);
  if (size > sets.elements.capacity()) {
    sets.elements.reserve(std::max(size, 2 * sets.elements.size()));
  }
  for (size_t i = 0; i < rows; ++i) {
    if (!is_null(chunk, i)) {
      check_items(items, static_cast<size_t>(offsets[i]), static_cast<size_t>(offsets[i + 1]),
                  is_signed, sets.offsets.size() - 1);
      sets.elements.insert(sets.elements.end(), elements + offsets[i], elements + offsets[i + 1]);
    }
    sets.offsets.push_back(sets.elements.size());
  }
}

void read_column(nb::handle object, Sets& sets) {
  const auto column = take_column(object, "sets");
  const std::string_view format = column->schema.format;
  const bool is_list = format == "+l" || format == "+L";
  const std::string_view item = is_list ? column->schema.children[0]->format : "";
  // The codes of a dictionary are no elements.
  const bool is_encoded = is_list && column->schema.children[0]->dictionary != nullptr;
  if ((item != "L" && item != "l") || is_encoded || column->schema.dictionary != nullptr) {
    throw nb::type_error(
        fmt::format("sets: a column of type {}, not of lists of uint64",
                    is_list ? fmt::format("list of {}", type_of(*column->schema.children[0]))
                            : type_of(column->schema))
            .c_str());
  }
  for (const ArrowArray& chunk : column->chunks) {
    if (format == "+l") {
      read_chunk<int32_t>(chunk, item == "l", sets);
    } else {
      read_chunk<int64_t>(chunk, item == "l", sets);
    }
  }
}

void read_items(nb::handle object, Sets& sets) {
  size_t row = 0;
  for (const nb::handle item : object) {
    try {
      for (const nb::handle element : item) sets.elements.push_back(nb::cast<uint64_t>(element));
    } catch (const std::exception&) {
      PyErr_Clear();
      throw nb::type_error(
          fmt::format("sets: row {} is no set of integers in [0, 2^64)", row).c_str());
    }
    sets.offsets.push_back(sets.elements.size());
    ++row;
  }
}

}  // namespace

Sets take_sets(nb::handle object) {
  Sets sets;
  if (is_arrow(object)) {
    read_column(object, sets);
  } else {
    read_items(object, sets);
  }
  return sets;
}

}  // namespace kith::python
