// The recall that a run of `kith dedup` really has, on a sample.
#pragma once

#include "kith/dedup.h"

#include "parallel/thread_pool.h"
#include "pipeline/dedup_match.h"
#include "pipeline/document_table.h"

namespace kith::pipeline {

// Compares sampled representatives with all others by exact resemblance. Deterministic.
DedupCheck check_matches(const DocumentTable& documents, const Matches& matches,
                         const DedupOptions& options, ThreadPool& pool);

}  // namespace kith::pipeline
