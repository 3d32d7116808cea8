// kith::find_passages with the file system given, for tests that make it fail.
#pragma once

#include "kith/passages.h"

#include "storage/file_system.h"

namespace kith::jobs {

Result<PassageReport> find_passages(storage::FileSystem& fs, const PassageOptions& options,
                                    const ProgressCallback& progress = {});

}  // namespace kith::jobs
