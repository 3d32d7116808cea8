// One file of a copy: what record_copy.h is made of.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kith/status.h"

#include "crawl/copy/record_copy.h"
#include "crawl/read/inputs.h"
#include "storage/file_system.h"

namespace kith::crawl {

// Where the files of a folder stand until all are complete.
inline constexpr std::string_view kUnfinishedFolder = ".kith-unfinished";

// Appends to `to` the bytes of `file` without the records `removed` (ascending, each once), and
// adds to the counts of `report`. The file is WARC, ARC or JSONL. Errors as of write_copy.
Status copy_without(storage::FileSystem& fs, const InputFile& file,
                    std::span<const uint64_t> removed, storage::WritableFile& to,
                    CopyReport& report);

}  // namespace kith::crawl
