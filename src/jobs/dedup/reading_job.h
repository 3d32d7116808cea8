// What the ways of reading documents share.
#pragma once

#include <cstdint>

#include "kith/dedup.h"
#include "kith/progress.h"
#include "kith/status.h"

#include "crawl/read/page_reader.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/inlink_counter.h"
#include "jobs/dedup/read.h"
#include "jobs/dedup/resources.h"
#include "run/memory_budget.h"

namespace kith::jobs {

struct ReadingJob {
  const DedupOptions& options;
  const DedupResources& resources;
  const ProgressCallback& progress;
  crawl::PageReader& reader;
  uint64_t memory;     // bytes that reading may take
  uint64_t page_cost;  // see reading_budget()
  const run::ReadingBudget& budget;
  DocumentWriter& writer;
  InlinkCounter* inlinks;  // null where none are counted
  DocumentsRead& read;
};

// Writes the next documents, counts them, and clears the block.
Status write_block(const ReadingJob& job, DocumentBlock& block);

}  // namespace kith::jobs
