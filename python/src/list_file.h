// The lists that a run of dedup leaves (docs/formats/dedup.md, "Lists").
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/status.h"

#include "table.h"

namespace kith::python {

// A field of a TSV list as it was before it was escaped (docs/formats/escapes.md).
std::string unescape_tsv(std::string_view field);

// Reads a TSV list with these columns: text, counts and numbers. Errors: no such file (not_found);
// other columns, or a row that does not fit them (corrupt, with the line).
Result<Table> read_tsv_list(const std::string& path,
                            const std::vector<std::pair<std::string, ColumnType>>& columns);

}  // namespace kith::python
