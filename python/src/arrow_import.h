// Columns that Python gives: what has __arrow_c_stream__ or __arrow_c_array__ (the Arrow PyCapsule
// interface), read where it lies.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <nanobind/nanobind.h>

#include "kith/status.h"

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

// A stream of the C interface, which is released whatever happens.
class ArrowStream {
 public:
  explicit ArrowStream(ArrowArrayStream taken) : stream_(taken) {}
  ArrowStream(ArrowStream&&) = delete;
  ~ArrowStream();

  // Errors: of kind corrupt, with what the stream says.
  Status schema(ArrowSchema& out);
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
