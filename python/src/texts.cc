#include "texts.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nanobind/stl/vector.h>

#include "arrow.h"
#include "bindings.h"

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
                    is_list
                        ? fmt::format("list of {}", crawl::arrow_type(*column->schema.children[0]))
                        : crawl::arrow_type(column->schema))
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

namespace {

std::string_view view_of(nb::handle object, const char* what, size_t row) {
  if (PyBytes_Check(object.ptr())) {
    char* data = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(object.ptr(), &data, &size) != 0) throw nb::python_error();
    return {data, static_cast<size_t>(size)};
  }
  if (!PyUnicode_Check(object.ptr())) {
    throw nb::type_error(fmt::format("{}: row {} is of type {}, not str or bytes", what, row,
                                     nb::type_name(object.type()).c_str())
                             .c_str());
  }
  Py_ssize_t size = 0;
  const char* const data = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (data != nullptr) return {data, static_cast<size_t>(size)};
  PyErr_Clear();
  throw Raised{
      {ErrorKind::usage, fmt::format("{}: row {} has a lone surrogate, which UTF-8 has not; give "
                                     "text.encode('utf-8', 'replace')",
                                     what, row)}};
}

// A string of 16 bytes in a column of views: its length, then its bytes, or where they are
// (arrow.apache.org/docs/format/Columnar.html, "Variable-size Binary View Layout").
std::string_view text_view(const ArrowArray& chunk, size_t at) {
  constexpr size_t size_of_view = 16;
  constexpr int32_t most_inline = 12;
  const char* const view = static_cast<const char*>(chunk.buffers[1]) + at * size_of_view;
  int32_t length = 0;
  std::memcpy(&length, view, sizeof length);
  if (length <= most_inline) return {view + 4, static_cast<size_t>(length)};
  int32_t buffer = 0;
  int32_t offset = 0;
  std::memcpy(&buffer, view + 8, sizeof buffer);
  std::memcpy(&offset, view + 12, sizeof offset);
  return {static_cast<const char*>(chunk.buffers[2 + buffer]) + offset,
          static_cast<size_t>(length)};
}

template <class Offset>
std::string_view text_between(const ArrowArray& chunk, size_t at) {
  const auto* const offsets = static_cast<const Offset*>(chunk.buffers[1]);
  const auto* const bytes = static_cast<const char*>(chunk.buffers[2]);
  return {bytes + offsets[at], static_cast<size_t>(offsets[at + 1] - offsets[at])};
}

using ReadText = std::string_view (*)(const ArrowArray& chunk, size_t at);

std::string_view no_text(const ArrowArray& /*chunk*/, size_t /*at*/) {
  return {};
}

// Null where the column is not one of strings.
ReadText reader_of(const ArrowSchema& column) {
  const std::string_view name = column.dictionary != nullptr ? "" : column.format;
  if (name == "n") return no_text;
  if (name == "u" || name == "z") return text_between<int32_t>;
  if (name == "U" || name == "Z") return text_between<int64_t>;
  if (name == "vu" || name == "vz") return text_view;
  return nullptr;
}

// Calls take(view, is_null) for every row of an array from `begin` on. A column of type null has no
// bits that say so.
template <class Take>
void for_each_text(const ArrowArray& array, size_t begin, size_t length, ReadText read, Take take) {
  for (size_t i = begin; i < begin + length; ++i) {
    const bool null = read == no_text || is_null(array, i);
    take(null ? std::string_view() : read(array, static_cast<size_t>(array.offset) + i), null);
  }
}

void read_column(Texts& texts, const char* what) {
  const ArrowSchema& schema = texts.column->schema;
  const ReadText read = reader_of(schema);
  if (read == nullptr) {
    throw nb::type_error(
        fmt::format("{}: a column of type {}, not of strings", what, crawl::arrow_type(schema))
            .c_str());
  }
  for (const ArrowArray& chunk : texts.column->chunks) {
    for_each_text(chunk, 0, static_cast<size_t>(chunk.length), read,
                  [&](std::string_view view, bool null) {
                    texts.views.push_back(view);
                    texts.nulls.push_back(null);
                  });
  }
}

void read_items(Texts& texts, const char* what) {
  size_t row = 0;
  for (const nb::handle item : nb::borrow<nb::list>(texts.held)) {
    texts.nulls.push_back(item.is_none());
    texts.views.push_back(item.is_none() ? std::string_view() : view_of(item, what, row));
    ++row;
  }
}

}  // namespace

Texts take_texts(nb::handle object, const char* what) {
  Texts texts;
  if (PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr())) {
    texts.is_one = true;
    texts.views.push_back(view_of(object, what, 0));
    texts.nulls.push_back(false);
  } else if (is_arrow(object)) {
    texts.column = take_column(object, what);
    read_column(texts, what);
  } else {
    if (!nb::hasattr(object, "__iter__")) {
      throw nb::type_error(
          fmt::format("{}: of type {}, not str or bytes, a sequence of these, or an Arrow column",
                      what, nb::type_name(object.type()).c_str())
              .c_str());
    }
    texts.held = nb::list(object);
    read_items(texts, what);
  }
  return texts;
}

namespace {

// Why a column is not read: the table has no columns, or none of the name, or it has another type.
Error refused_column(const ArrowSchema& schema, const std::string& name, bool is_id) {
  if (std::strcmp(schema.format, "+s") != 0) {
    return {ErrorKind::usage,
            fmt::format("the table is one column without a name, of type {}; give a table with the "
                        "columns that text and id name",
                        crawl::arrow_type(schema))};
  }
  if (const std::optional<std::string> type = crawl::type_of_column(schema, name)) {
    return {ErrorKind::usage, fmt::format("column '{}' is of type {}, not of strings{}", name,
                                          *type, is_id ? " or integers" : "")};
  }
  std::string names;
  for (int64_t i = 0; i < schema.n_children; ++i) {
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", schema.children[i]->name);
  }
  return {ErrorKind::not_found, fmt::format("no column '{}'; there are {}", name, names)};
}

}  // namespace

TextColumn::TextColumn(const ArrowSchema& table, std::string name, ColumnUse use)
    : name_(std::move(name)), column_(crawl::TableColumn::find(table, name_)) {
  const bool is_id = use == ColumnUse::id;
  if (!column_ || (column_->is_number() && !is_id)) {
    throw Raised{refused_column(table, name_, is_id)};
  }
}

void TextColumn::read(const ArrowArray& batch) {
  views_.clear();
  nulls_.clear();
  numbers_.clear();
  for (size_t row = 0; row < static_cast<size_t>(batch.length); ++row) {
    const std::optional<std::string_view> value = column_->value(batch, row);
    nulls_.push_back(!value);
    if (column_->is_number()) {
      numbers_.emplace_back(value.value_or(""));
    } else {
      views_.push_back(value.value_or(""));
    }
  }
  if (column_->is_number()) views_.assign(numbers_.begin(), numbers_.end());
}

}  // namespace kith::python
