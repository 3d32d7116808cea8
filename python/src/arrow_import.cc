#include "arrow_import.h"

#include <cstring>
#include <string>
#include <utility>

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
  if (held->release == nullptr) {
    throw Raised{{ErrorKind::usage,
                  fmt::format("the Arrow capsule '{}' has been taken before; an object must give a "
                              "new one at each call",
                              name)}};
  }
  Struct taken = *held;
  held->release = nullptr;
  return taken;
}

ArrowArrayStream take_stream(nb::handle object) {
  const nb::object capsule = object.attr("__arrow_c_stream__")();
  return take_out<ArrowArrayStream>(capsule, "arrow_array_stream");
}

void read_stream(nb::handle object, ArrowColumn& column) {
  ArrowStream stream(take_stream(object));
  raise_error(stream.schema(column.schema));
  for (;;) {
    ArrowArray chunk{};
    raise_error(stream.next(chunk));
    if (chunk.release == nullptr) return;
    column.chunks.push_back(chunk);
  }
}

// The schema and the only chunk of an object.
void take_array(nb::handle object, ArrowSchema& schema, ArrowArray& array) {
  const nb::object pair = object.attr("__arrow_c_array__")();
  schema = take_out<ArrowSchema>(pair[0], "arrow_schema");
  array = take_out<ArrowArray>(pair[1], "arrow_array");
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
  size_t before = 0;  // rows of the chunks before
  for (const ArrowArray& chunk : column.chunks) {
    if (chunk.offset != 0 || chunk.length != chunk.children[0]->length) {
      throw nb::type_error(fmt::format("{}: a slice of a struct; give its column", what).c_str());
    }
    for (size_t i = 0; i < static_cast<size_t>(chunk.length); ++i) {
      if (!is_null(chunk, i)) continue;
      throw Raised{
          {ErrorKind::usage,
           fmt::format("{}: row {} of the struct is null; give its column", what, before + i)}};
    }
    before += static_cast<size_t>(chunk.length);
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

std::shared_ptr<ArrowColumn> take_column(nb::handle object, const char* what) {
  auto column = std::make_shared<ArrowColumn>();
  if (nb::hasattr(object, "__arrow_c_stream__")) {
    read_stream(object, *column);
  } else {
    take_array(object, column->schema, column->chunks.emplace_back());
  }
  open_struct(*column, what);
  return column;
}

ArrowStream::~ArrowStream() {
  if (stream_.release != nullptr) stream_.release(&stream_);
}

Status ArrowStream::schema(ArrowSchema& out) {
  return check(stream_.get_schema(&stream_, &out));
}

Status ArrowStream::next(ArrowArray& out) {
  return check(stream_.get_next(&stream_, &out));
}

Status ArrowStream::check(int code) {
  if (code == 0) return Status::ok();
  const char* const text = stream_.get_last_error(&stream_);
  return Error{ErrorKind::corrupt, fmt::format("the table cannot be read to its end: {}",
                                               text != nullptr ? text : "no reason is given")};
}

ArrowBatches::ArrowBatches(nb::handle object) {
  if (nb::hasattr(object, "__arrow_c_stream__")) {
    stream_.emplace(take_stream(object));
    raise_error(stream_->schema(schema_));
  } else {
    take_array(object, schema_, batch_);
    is_new_ = true;
  }
}

ArrowBatches::~ArrowBatches() {
  release_batch();
  if (schema_.release != nullptr) schema_.release(&schema_);
}

Result<bool> ArrowBatches::next() {
  if (std::exchange(is_new_, false)) return true;
  release_batch();
  if (stream_) KITH_TRY(stream_->next(batch_));
  return batch_.release != nullptr;
}

void ArrowBatches::release_batch() {
  if (batch_.release != nullptr) batch_.release(&batch_);
  batch_ = {};
}

}  // namespace kith::python
