// Tables that the caller opens (kith/table_files.h): a page per row.
#pragma once

#include <memory>
#include <string>

#include "kith/status.h"
#include "kith/table_files.h"

#include "crawl/read/input_reader.h"
#include "crawl/read/row_fields.h"

namespace kith::crawl {

// Whether the columns of a table can be read: one of them holds the body of a page, and those that
// the user has named are there and of a fitting type. The error names what is there.
Status check_table(TableFiles& tables, const std::string& path, const RowFields& fields);

// The reader of a table. bytes: of its file, for the counts. `path` and `tables` outlive it.
Result<std::unique_ptr<InputReader>> make_table_reader(TableFiles& tables, const std::string& path,
                                                       const RowFields& fields, uint64_t bytes);

}  // namespace kith::crawl
