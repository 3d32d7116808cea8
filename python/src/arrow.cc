#include "arrow.h"

#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "bindings.h"

namespace kith::python {
namespace {

// A schema or array node with what it points to. Children are nodes of their own: who takes the
// data may move them out and release them alone.
template <class Node>
struct Held {
  std::string name;
  std::shared_ptr<const void> owner;
  std::vector<const void*> buffers;
  std::vector<Node*> children;
};

template <class Node>
void release(Node* node) {
  auto* const held = static_cast<Held<Node>*>(node->private_data);
  for (Node* const child : held->children) {
    if (child->release != nullptr) child->release(child);
    delete child;
  }
  delete held;
  node->release = nullptr;
}

template <class Node>
Node* new_child(Held<Node>& parent) {
  parent.children.push_back(new Node{});
  return parent.children.back();
}

void fill_schema(ArrowSchema* out, const char* format, Held<ArrowSchema>* held) {
  *out = {};
  out->format = format;
  out->name = held->name.c_str();
  out->n_children = static_cast<int64_t>(held->children.size());
  out->children = held->children.data();
  out->release = release<ArrowSchema>;
  out->private_data = held;
}

const char* format_of(ColumnType type) {
  switch (type) {
    case ColumnType::text:
      return "U";
    case ColumnType::count:
      return "L";
    case ColumnType::number:
      return "g";
    case ColumnType::flag:
      return "b";
    case ColumnType::texts:
    case ColumnType::numbers:
      return "+L";
  }
  return "n";
}

bool is_list(ColumnType type) {
  return type == ColumnType::texts || type == ColumnType::numbers;
}

ColumnType item_of(ColumnType type) {
  return type == ColumnType::texts ? ColumnType::text : ColumnType::number;
}

void export_field(const std::string& name, ColumnType type, ArrowSchema* out) {
  auto* const held = new Held<ArrowSchema>{name, {}, {}, {}};
  if (is_list(type)) export_field("item", item_of(type), new_child(*held));
  fill_schema(out, format_of(type), held);
}

void fill_array(ArrowArray* out, size_t length, Held<ArrowArray>* held) {
  *out = {};
  out->length = static_cast<int64_t>(length);
  out->n_buffers = static_cast<int64_t>(held->buffers.size());
  out->n_children = static_cast<int64_t>(held->children.size());
  out->buffers = held->buffers.data();
  out->children = held->children.data();
  out->release = release<ArrowArray>;
  out->private_data = held;
}

// The first buffer of each would say which values are null: none is.
void export_items(const SharedTable& table, const Column& column, ColumnType type, size_t length,
                  ArrowArray* out) {
  auto* const held = new Held<ArrowArray>{{}, table, {nullptr}, {}};
  switch (type) {
    case ColumnType::text:
      held->buffers.push_back(column.text_offsets().data());
      held->buffers.push_back(column.bytes().data());
      break;
    case ColumnType::count:
      held->buffers.push_back(column.counts().data());
      break;
    case ColumnType::number:
      held->buffers.push_back(column.numbers().data());
      break;
    case ColumnType::flag:
      held->buffers.push_back(column.bits().data());
      break;
    case ColumnType::texts:
    case ColumnType::numbers:
      held->buffers.push_back(column.list_offsets().data());
      export_items(table, column, item_of(type), static_cast<size_t>(column.list_offsets().back()),
                   new_child(*held));
  }
  fill_array(out, length, held);
}

void export_batch(const SharedTable& table, ArrowArray* out) {
  auto* const held = new Held<ArrowArray>{{}, table, {nullptr}, {}};
  for (const Column& column : table->columns) {
    export_items(table, column, column.type(), column.rows(), new_child(*held));
  }
  fill_array(out, table->rows(), held);
}

struct Stream {
  SharedTable table;
  bool is_read = false;
};

int stream_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  export_schema(*static_cast<Stream*>(stream->private_data)->table, out);
  return 0;
}

int stream_next(ArrowArrayStream* stream, ArrowArray* out) {
  auto* const state = static_cast<Stream*>(stream->private_data);
  *out = {};  // released: the end
  if (!std::exchange(state->is_read, true)) export_batch(state->table, out);
  return 0;
}

const char* stream_error(ArrowArrayStream* /*stream*/) {
  return nullptr;
}

void release_stream(ArrowArrayStream* stream) {
  delete static_cast<Stream*>(stream->private_data);
  stream->release = nullptr;
}

}  // namespace

void export_schema(const Table& table, ArrowSchema* out) {
  auto* const held = new Held<ArrowSchema>{};
  for (const Column& column : table.columns) {
    export_field(column.name(), column.type(), new_child(*held));
  }
  fill_schema(out, "+s", held);
}

void export_stream(SharedTable table, ArrowArrayStream* out) {
  *out = {stream_schema, stream_next, stream_error, release_stream, new Stream{std::move(table)}};
}

void export_lists(const std::shared_ptr<const void>& owner, std::span<const uint64_t> offsets,
                  std::span<const uint64_t> elements, ArrowSchema* schema, ArrowArray* array) {
  auto* const field = new Held<ArrowSchema>{};
  fill_schema(new_child(*field), "L", new Held<ArrowSchema>{"item", {}, {}, {}});
  fill_schema(schema, "+L", field);
  auto* const lists = new Held<ArrowArray>{{}, owner, {nullptr, offsets.data()}, {}};
  fill_array(new_child(*lists), elements.size(),
             new Held<ArrowArray>{{}, owner, {nullptr, elements.data()}, {}});
  fill_array(array, offsets.size() - 1, lists);
}

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
