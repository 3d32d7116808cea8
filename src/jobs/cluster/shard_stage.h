// Runs in parts: a shard reads its share of a crawl, a merge makes the bags of all shards
// (docs/formats/shards.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kith/options.h"
#include "kith/progress.h"
#include "kith/status.h"

#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "jobs/cluster/run_directory.h"
#include "storage/file_system.h"

namespace kith::jobs {

// Reads the share of the inputs and leaves the file of the shard. Fills in the crawl, text and
// aliases parts of run.report().
Status run_shard_stage(storage::FileSystem& fs, RunDirectory& run, ThreadPool& pool,
                       const Budget& memory, const ProgressCallback& progress);

// All shards of one crawl, in their order. Errors of kind usage: one is missing or there twice;
// other options, inputs or another version made them.
Result<std::vector<RunDirectory>> open_shards(storage::FileSystem& fs,
                                              std::span<const std::string> directories);

// The bags stage of a merge: leaves what run_bag_stage leaves on the whole, in the files and in
// run.report().
Status merge_bag_stage(storage::FileSystem& fs, std::span<const RunDirectory> shards,
                       RunDirectory& run, ThreadPool& pool, const Budget& memory,
                       const ProgressCallback& progress);

}  // namespace kith::jobs
