// The whole job: from a crawl to clusters and the related-pages index.
#pragma once

#include "kith/options.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

// Runs crawl -> text -> bags -> sketch -> lsh -> cluster -> index and leaves a run directory
// at options.output, to be opened with Run::open (run.h). Stages that an interrupted or
// earlier run of the same options has finished are taken from the directory when their files match
// their checksums; otherwise a Progress::note says so and they are run again. The files depend
// on the input and the options only, not on threads, memory or timing. On an error nothing
// half-written stands under a final name. Blocks until done; thread-safe for different outputs.
// With options.shards the directory becomes a shard, which only merge() can use.
Result<Report> cluster_crawl(const ClusterOptions& options, const ProgressCallback& progress = {});

// Makes a run of shards 1 to N of one crawl, that were made by this version, of the same inputs
// and with the same options: its files are those that cluster() makes of the whole, byte for
// byte. For directories, interruption and threads as cluster(). An error of kind usage when the
// shards do not belong together, of kind corrupt, naming the file, when one is damaged.
Result<Report> merge(const MergeOptions& options, const ProgressCallback& progress = {});

}  // namespace kith

#pragma GCC visibility pop
