// Shingles of very many documents: which they are, and documents without them (Broder, Glassman,
// Manasse, Zweig 1997, section 4; docs/algorithms/near-duplicates.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kith/dedup.h"
#include "kith/status.h"

#include "jobs/dedup/document_table.h"
#include "jobs/dedup/read.h"
#include "storage/section_file.h"

namespace kith::jobs {

inline constexpr storage::FileKind common_kind{"comm", 1};
inline constexpr std::string_view common_section = "shingles";

// Writes the elements that more than `most` documents have, ascending, to `path`. Exact: those that
// may be so many are sorted, beyond memory if need be.
Status write_common(const std::string& path, const DocumentTable& documents, uint32_t most,
                    const DedupResources& resources);

struct CommonCounts {
  uint64_t shingles = 0;  // different ones, that are dropped
  uint64_t dropped = 0;   // elements of documents
  uint64_t rescued = 0;   // documents that have no others, and keep all of theirs
};

// Writes the documents `from`, which have no sketches, to the folder `path` without the elements in
// the file `common`, and makes their sketches if the options ask for them. A document that would be
// left without elements keeps all of its own, so that equal documents stay equal. The same bytes
// for any threads and memory.
Result<CommonCounts> write_without_common(const std::string& path, const DocumentTable& from,
                                          const std::string& common, const DedupOptions& options,
                                          const DedupResources& resources);

}  // namespace kith::jobs
