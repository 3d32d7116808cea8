// The bags of an earlier run as the input of another: `kith cluster RUN -o OTHER`.
#pragma once

#include "kith/options.h"
#include "kith/report.h"
#include "kith/status.h"

#include "jobs/cluster/run_directory.h"
#include "storage/file_system.h"

namespace kith::jobs {

// Whether the input is a run directory, whose bags are to be used. An error when it is one input
// among several, or when an input is a shard.
Result<bool> reuses_bags(storage::FileSystem& fs, const ClusterOptions& options);

// Makes the options that decided what the bags hold those of the earlier run; an error when the run
// was asked for with others that are not the defaults.
Status adopt_bag_options(storage::FileSystem& fs, RunDirectory& run);

// Opens the run that is the input and takes over what its report says of crawl, text and bags. An
// error when its bags are damaged.
Result<RunDirectory> open_with_report(storage::FileSystem& fs, Report& report);

// The same, and takes the files of the bags stage over.
Status take_bags(storage::FileSystem& fs, RunDirectory& run);

}  // namespace kith::jobs
