// The stage that reads documents: their texts go to the disk, their anchors to a sort.
#pragma once

#include "kith/passages.h"
#include "kith/status.h"

#include "jobs/passages/repeated.h"

namespace kith::jobs {

// Reads all inputs, in their order. Of markup a block element is a line. Fills the counts of what
// is read.
Result<PassageInput> read_passage_texts(const PassageOptions& options,
                                        const PassageResources& resources, CrawlCounts& crawl,
                                        PassageCounts& counts);

}  // namespace kith::jobs
