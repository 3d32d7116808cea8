// Arrow's C data interface: how numbers and texts are taken from other libraries and
// given to them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "kith/status.h"
#include "kith/table_files.h"

#include "table.h"

namespace kith::python {

// Arrow structs in capsules, as the Arrow PyCapsule interface hands them over.

// A capsule that owns `value` (made by new), and releases what nobody has taken out of it.
template <class Struct>
nanobind::object capsule_of(Struct* value, const char* name) {
  PyObject* const capsule = PyCapsule_New(value, name, [](PyObject* self) {
    auto* const held = static_cast<Struct*>(PyCapsule_GetPointer(self, PyCapsule_GetName(self)));
    if (held->release != nullptr) held->release(held);
    delete held;
  });
  if (capsule == nullptr) throw nanobind::python_error();
  return nanobind::steal(capsule);
}

// A table as an Arrow stream of one batch, without copies: the batch reads the table's buffers, and
// holds the table until it is released.

// The schema of a table: a struct of its columns. The caller releases it.
void export_schema(const Table& table, ArrowSchema* out);

// The caller releases the stream, and what it has taken from it, in any order.
void export_stream(SharedTable table, ArrowArrayStream* out);

// Lists of uint64: list i is elements[offsets[i], offsets[i + 1]). Both are kept by `owner`. The
// caller releases schema and array.
void export_lists(const std::shared_ptr<const void>& owner, std::span<const uint64_t> offsets,
                  std::span<const uint64_t> elements, ArrowSchema* schema, ArrowArray* array);

// Columns that Python gives: what has __arrow_c_stream__ or __arrow_c_array__ (the Arrow PyCapsule
// interface), read where it lies.

// A column in chunks. They are released with the last copy of `owner`.
struct ArrowColumn {
  ArrowSchema schema{};
  std::vector<ArrowArray> chunks;

  ArrowColumn() = default;
  ArrowColumn(ArrowColumn&&) = delete;
  ~ArrowColumn();

  size_t rows() const;
};

// A stream of the C interface, which is released whatever happens.
class ArrowStream {
 public:
  explicit ArrowStream(ArrowArrayStream taken) : stream_(taken) {}
  ArrowStream(ArrowStream&&) = delete;
  ~ArrowStream();

  // Errors: of kind corrupt, with what the stream says.
  Status schema(ArrowSchema& out);
  // Gives the stream away.
  ArrowArrayStream take() { return std::exchange(stream_, {}); }
  // The next chunk; at the end one without a release function.
  Status next(ArrowArray& out);

 private:
  Status check(int code);

  ArrowArrayStream stream_;
};

// Whether an object has one of the two methods.
bool is_arrow(nanobind::handle object);

// Takes the column of an object for which is_arrow() holds; of a table with one column that one.
// Raises TypeError for a table with several, and whatever the object raises. `what` is what
// messages call it.
std::shared_ptr<ArrowColumn> take_column(nanobind::handle object, const char* what);

// A table that comes batch by batch: a struct of its columns each, unless the object is but one
// column. It may be read and destroyed without the lock of the interpreter. Not thread-safe.
class ArrowBatches {
 public:
  // REQUIRES: is_arrow(object). Raises whatever the object raises.
  explicit ArrowBatches(nanobind::handle object);
  ArrowBatches(ArrowBatches&&) = delete;
  ~ArrowBatches();

  const ArrowSchema& schema() const { return schema_; }
  // Takes the next batch in place of the last one; false when there is none. An error of kind
  // corrupt when the stream fails.
  Result<bool> next();
  const ArrowArray& batch() const { return batch_; }

 private:
  void release_batch();

  ArrowSchema schema_{};
  std::optional<ArrowStream> stream_;  // or the one batch that there is
  ArrowArray batch_{};
  bool is_new_ = false;  // the batch, of an object that is an array
};

// Whether row i of a chunk is null.
inline bool is_null(const ArrowArray& chunk, size_t i) {
  const auto* const bits = static_cast<const uint8_t*>(chunk.buffers[0]);
  const size_t at = static_cast<size_t>(chunk.offset) + i;
  return bits != nullptr && (bits[at / 8] >> (at % 8) & 1) == 0;
}

}  // namespace kith::python
