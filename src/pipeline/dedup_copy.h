// The copy of the input that `kith dedup --write` makes: without the documents that are removed.
#pragma once

#include "kith/dedup.h"
#include "kith/status.h"

#include "crawl/record_copy.h"
#include "parallel/thread_pool.h"
#include "pipeline/against_file.h"
#include "pipeline/dedup_groups.h"
#include "pipeline/document_table.h"
#include "storage/file_system.h"

namespace kith::pipeline {

// Writes the copy. `plan` is of the inputs that the documents were read from.
Result<DedupCopy> write_kept(storage::FileSystem& fs, const crawl::CopyPlan& plan,
                             const DocumentTable& documents, const Against& against,
                             const Groups& groups, ThreadPool& pool);

}  // namespace kith::pipeline
