// kith::dedup (include/kith/dedup.h) on any file system, so that tests can make the disk fail.
#pragma once

#include "kith/dedup.h"
#include "kith/progress.h"
#include "kith/status.h"

#include "storage/file_system.h"

namespace kith::jobs {

// The run directory and the temporary files go through `fs`; the inputs are read from the operating
// system's files.
Result<DedupReport> dedup(storage::FileSystem& fs, const DedupOptions& options,
                          const ProgressCallback& progress = {});

}  // namespace kith::jobs
