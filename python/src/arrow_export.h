// A table as an Arrow stream of one batch, without copies: the batch reads the table's buffers, and
// holds the table until it is released.
#pragma once

#include "arrow_abi.h"
#include "table.h"

namespace kith::python {

// The schema of a table: a struct of its columns. The caller releases it.
void export_schema(const Table& table, ArrowSchema* out);

// The caller releases the stream, and what it has taken from it, in any order.
void export_stream(SharedTable table, ArrowArrayStream* out);

}  // namespace kith::python
