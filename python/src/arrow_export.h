// A table as an Arrow stream of one batch, without copies: the batch reads the table's buffers, and
// holds the table until it is released.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "arrow_abi.h"
#include "table.h"

namespace kith::python {

// The schema of a table: a struct of its columns. The caller releases it.
void export_schema(const Table& table, ArrowSchema* out);

// The caller releases the stream, and what it has taken from it, in any order.
void export_stream(SharedTable table, ArrowArrayStream* out);

// Lists of uint64: list i is elements[offsets[i], offsets[i + 1]). Both are kept by `owner`. The
// caller releases schema and array.
void export_lists(const std::shared_ptr<const void>& owner, std::span<const uint64_t> offsets,
                  std::span<const uint64_t> elements, ArrowSchema* schema, ArrowArray* array);

}  // namespace kith::python
