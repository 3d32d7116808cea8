// The stage of `kith dedup --against`: documents that an earlier run has one like.
#pragma once

#include <span>
#include <string>

#include "kith/dedup.h"
#include "kith/progress.h"
#include "kith/status.h"

#include "jobs/dedup/document_table.h"
#include "jobs/dedup/earlier/earlier_run.h"
#include "jobs/dedup/match.h"

namespace kith::jobs {

// Finds for every document the one of all earlier runs that it resembles most, if it resembles it
// enough: of equally similar ones that of the first run, and there the first. Documents of earlier
// runs count whether these have kept them or not. Writes the against file to `path` and fills what
// the report says of it, the check too. The result is the same for any memory and threads.
Status write_against(const std::string& path, const DocumentTable& documents,
                     std::span<const EarlierRun> runs, const DedupOptions& options,
                     const DedupResources& resources, DedupReport& report,
                     const ProgressCallback& progress);

}  // namespace kith::jobs
