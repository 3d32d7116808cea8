#include "arrow_import.h"

#include <cstring>
#include <string>

#include <fmt/format.h>

#include "errors.h"

namespace kith::python {
namespace {

namespace nb = nanobind;

// The struct in a capsule, taken out of it.
template <class Struct>
Struct take_out(nb::handle capsule, const char* name) {
  auto* const held = static_cast<Struct*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (held == nullptr) throw nb::python_error();
  Struct taken = *held;
  held->release = nullptr;
  return taken;
}

// A stream that is released whatever happens.
struct Stream {
  explicit Stream(ArrowArrayStream taken) : stream(taken) {}
  Stream(Stream&&) = delete;
  ~Stream() {
    if (stream.release != nullptr) stream.release(&stream);
  }

  void check(int code) {
    if (code == 0) return;
    const char* const text = stream.get_last_error(&stream);
    throw Raised{{ErrorKind::corrupt, fmt::format("the table cannot be read to its end: {}",
                                                  text != nullptr ? text : "no reason is given")}};
  }

  ArrowArrayStream stream;
};

void read_stream(nb::handle object, ArrowColumn& column) {
  const nb::object capsule = object.attr("__arrow_c_stream__")();
  Stream held(take_out<ArrowArrayStream>(capsule, "arrow_array_stream"));
  held.check(held.stream.get_schema(&held.stream, &column.schema));
  for (;;) {
    ArrowArray chunk{};
    held.check(held.stream.get_next(&held.stream, &chunk));
    if (chunk.release == nullptr) return;
    column.chunks.push_back(chunk);
  }
}

void read_array(nb::handle object, ArrowColumn& column) {
  const nb::object pair = object.attr("__arrow_c_array__")();
  column.schema = take_out<ArrowSchema>(pair[0], "arrow_schema");
  column.chunks.push_back(take_out<ArrowArray>(pair[1], "arrow_array"));
}

// Replaces a node by its only child, which is moved out of it.
template <class Node>
void replace_by_child(Node& node) {
  Node child = *node.children[0];
  node.children[0]->release = nullptr;
  node.release(&node);
  node = child;
}

// A table is a struct of its columns; of one column it is that column.
void open_struct(ArrowColumn& column, const char* what) {
  if (std::strcmp(column.schema.format, "+s") != 0) return;
  if (column.schema.n_children != 1) {
    throw nb::type_error(fmt::format("{}: a table of {} columns; name one, as in table['text']",
                                     what, column.schema.n_children)
                             .c_str());
  }
  for (const ArrowArray& chunk : column.chunks) {
    if (chunk.offset == 0 && chunk.length == chunk.children[0]->length) continue;
    throw nb::type_error(fmt::format("{}: a slice of a struct; give its column", what).c_str());
  }
  replace_by_child(column.schema);
  for (ArrowArray& chunk : column.chunks) replace_by_child(chunk);
}

}  // namespace

ArrowColumn::~ArrowColumn() {
  for (ArrowArray& chunk : chunks) {
    if (chunk.release != nullptr) chunk.release(&chunk);
  }
  if (schema.release != nullptr) schema.release(&schema);
}

size_t ArrowColumn::rows() const {
  size_t rows = 0;
  for (const ArrowArray& chunk : chunks) rows += static_cast<size_t>(chunk.length);
  return rows;
}

bool is_arrow(nb::handle object) {
  return nb::hasattr(object, "__arrow_c_stream__") || nb::hasattr(object, "__arrow_c_array__");
}

std::shared_ptr<ArrowColumn> take_table(nb::handle object) {
  auto table = std::make_shared<ArrowColumn>();
  if (nb::hasattr(object, "__arrow_c_stream__")) {
    read_stream(object, *table);
  } else {
    read_array(object, *table);
  }
  return table;
}

std::shared_ptr<ArrowColumn> take_column(nb::handle object, const char* what) {
  auto column = take_table(object);
  open_struct(*column, what);
  return column;
}

}  // namespace kith::python
