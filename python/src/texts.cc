#include "texts.h"

#include <cstring>

#include <fmt/format.h>

namespace kith::python {
namespace {

namespace nb = nanobind;

std::string_view view_of(nb::handle object, const char* what, size_t row) {
  if (PyBytes_Check(object.ptr())) {
    char* data = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(object.ptr(), &data, &size) != 0) throw nb::python_error();
    return {data, static_cast<size_t>(size)};
  }
  if (!PyUnicode_Check(object.ptr())) {
    throw nb::type_error(fmt::format("{}: row {} is a {}, not str or bytes", what, row,
                                     nb::type_name(object.type()).c_str())
                             .c_str());
  }
  Py_ssize_t size = 0;
  const char* const data = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (data != nullptr) return {data, static_cast<size_t>(size)};
  PyErr_Clear();
  throw nb::value_error(fmt::format("{}: row {} has a lone surrogate", what, row).c_str());
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

ReadText reader_of(const char* format, const char* what) {
  const std::string_view name = format;
  if (name == "u" || name == "z") return text_between<int32_t>;
  if (name == "U" || name == "Z") return text_between<int64_t>;
  if (name == "vu" || name == "vz") return text_view;
  throw nb::type_error(
      fmt::format("{}: a column of the Arrow format '{}', not of strings", what, format).c_str());
}

// Calls take(view, is_null) for every row of an array from `begin` on.
template <class Take>
void for_each_text(const ArrowArray& array, size_t begin, size_t length, ReadText read, Take take) {
  for (size_t i = begin; i < begin + length; ++i) {
    const bool null = is_null(array, i);
    take(null ? std::string_view() : read(array, static_cast<size_t>(array.offset) + i), null);
  }
}

void read_column(Texts& texts, const char* what) {
  const ReadText read = reader_of(texts.column->schema.format, what);
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
    texts.held = nb::list(object);
    read_items(texts, what);
  }
  return texts;
}

namespace {

// The place of a column; a KeyError names those that there are.
int64_t find_column(const ArrowSchema& schema, const std::string& name) {
  if (std::strcmp(schema.format, "+s") != 0) {
    throw nb::type_error("a table of named columns is needed, not one column");
  }
  std::string names;
  for (int64_t i = 0; i < schema.n_children; ++i) {
    if (name == schema.children[i]->name) return i;
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", schema.children[i]->name);
  }
  throw nb::key_error(fmt::format("no column '{}'; there are {}", name, names).c_str());
}

template <class Number>
void add_numbers(const ArrowArray& array, size_t begin, size_t length, TextColumn& column) {
  const auto* const values = static_cast<const Number*>(array.buffers[1]) + array.offset;
  for (size_t i = begin; i < begin + length; ++i) {
    column.nulls.push_back(is_null(array, i));
    column.numbers.push_back(column.nulls.back() ? "" : fmt::format("{}", values[i]));
  }
}

void add_rows(const ArrowSchema& schema, const ArrowArray& array, size_t begin, size_t length,
              const std::string& name, TextColumn& column) {
  const std::string_view format = schema.format;
  if (format == "l") return add_numbers<int64_t>(array, begin, length, column);
  if (format == "L") return add_numbers<uint64_t>(array, begin, length, column);
  if (format == "i") return add_numbers<int32_t>(array, begin, length, column);
  if (format == "I") return add_numbers<uint32_t>(array, begin, length, column);
  const ReadText read = reader_of(schema.format, fmt::format("column '{}'", name).c_str());
  for_each_text(array, begin, length, read, [&](std::string_view view, bool null) {
    column.views.push_back(view);
    column.nulls.push_back(null);
  });
}

}  // namespace

TextColumn read_text_column(const ArrowColumn& table, const std::string& name) {
  const int64_t at = find_column(table.schema, name);
  TextColumn column;
  for (const ArrowArray& chunk : table.chunks) {
    add_rows(*table.schema.children[at], *chunk.children[at], static_cast<size_t>(chunk.offset),
             static_cast<size_t>(chunk.length), name, column);
  }
  if (!column.numbers.empty()) {
    column.views.assign(column.numbers.begin(), column.numbers.end());
  }
  return column;
}

}  // namespace kith::python
