// The recall that a run of `kith dedup` really has, on a sample.
#pragma once

#include "kith/dedup.h"

#include "parallel/thread_pool.h"
#include "pipeline/against_file.h"
#include "pipeline/dedup_match.h"
#include "pipeline/document_table.h"

namespace kith::pipeline {

// Compares sampled representatives with all others by exact similarity; those that an earlier run
// has removed are not among them. Deterministic. memory: bytes that it may take.
DedupCheck check_matches(const DocumentTable& documents, const Against& against,
                         const Matches& matches, const DedupOptions& options, uint64_t memory,
                         ThreadPool& pool);

}  // namespace kith::pipeline
