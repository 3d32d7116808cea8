// kith::cluster_crawl (include/kith/pipeline.h) on any file system, so that tests can make the disk
// fail.
#pragma once

#include "kith/options.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/status.h"

#include "storage/file_system.h"

namespace kith::jobs {

// The run directory and the temporary files go through `fs`; the inputs are read from the operating
// system's files.
Result<Report> cluster(storage::FileSystem& fs, const ClusterOptions& options,
                       const ProgressCallback& progress = {});

}  // namespace kith::jobs
