// crawl -> text -> bags: reads the inputs and leaves the url, title, term and bag files.
#pragma once

#include <cstdint>

#include "kith/progress.h"
#include "kith/status.h"

#include "parallel/thread_pool.h"
#include "pipeline/run_directory.h"
#include "storage/file_system.h"

namespace kith::pipeline {

// Fills in the crawl, text and bags parts of run.report(). `memory` is in bytes.
Status run_bag_stage(storage::FileSystem& fs, RunDirectory& run, ThreadPool& pool, uint64_t memory,
                     const ProgressCallback& progress);

}  // namespace kith::pipeline
