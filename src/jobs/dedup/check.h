// The recall that a run of `kith dedup` really has, on a sample.
#pragma once

#include "kith/dedup.h"

#include "base/parallel/thread_pool.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/earlier/earlier_run.h"
#include "jobs/dedup/groups.h"
#include "jobs/dedup/match.h"

namespace kith::jobs {

// Compares sampled representatives with all others by exact similarity, and sampled documents that
// are kept with all others that are; those that an earlier run has removed are not among them.
// Deterministic. memory: bytes that it may take. `promised` of the result is not filled.
DedupCheck check_matches(const DocumentTable& documents, const Against& against,
                         const Matches& matches, const Groups& groups, const DedupOptions& options,
                         uint64_t memory, ThreadPool& pool);

// What a finished run promises of pairs at its similarity; 0: nothing.
double promised_recall(const DedupReport& report);

}  // namespace kith::jobs
