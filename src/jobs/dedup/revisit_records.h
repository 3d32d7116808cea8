// The records that stand in a copy in place of those that are removed (docs/formats/copy.md).
#pragma once

#include <cstdint>
#include <string>

#include "jobs/dedup/document_table.h"
#include "jobs/dedup/earlier/earlier_run.h"
#include "jobs/dedup/groups.h"

namespace kith::jobs {

// A WARC 1.1 record that says what became of a removed document, with the line breaks behind it: a
// revisit of the kept one where both have the same payload digest, else metadata that names what is
// kept. Empty where the document has no date, which every record must have. Thread-safe.
// REQUIRES: the document is removed.
std::string revisit_record(const DocumentTable& documents, const Against& against,
                           const Groups& groups, uint32_t removed);

}  // namespace kith::jobs
