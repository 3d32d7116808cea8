#include "arrow_export.h"

#include <utility>

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

}  // namespace kith::python
