// crawl -> text -> bags: reads the inputs and leaves the url, title, term and bag files.
#pragma once

#include <cstdint>

#include "kith/options.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/status.h"

#include "bags/bag_builder.h"
#include "base/parallel/thread_pool.h"
#include "jobs/cluster/run_directory.h"
#include "storage/file_system.h"

namespace kith::jobs {

// The options of a run as those of its bags.
bags::FragmentOptions fragment_options(const ClusterOptions& options);
bags::BagBuilderOptions builder_options(const ClusterOptions& options, uint64_t memory,
                                        unsigned workers, uint64_t input_bytes);

// What was met of aliases, and what was folded.
AliasReport alias_report(const bags::FragmentCounts& met, const AliasReport& folded);
// The text, aliases and bags parts.
void report_bags(const bags::BagCounts& counts, Report& report);

// Fills in the crawl, text and bags parts of run.report(). `memory` is in bytes.
Status run_bag_stage(storage::FileSystem& fs, RunDirectory& run, ThreadPool& pool, uint64_t memory,
                     const ProgressCallback& progress);

}  // namespace kith::jobs
