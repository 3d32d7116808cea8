// Distributions that the page draws.
#pragma once

#include "kith/kith.h"

#include "server/lists.h"

namespace kith::server {

// What the pictures of a report are drawn from.

// The sizes of clusters, the similarity of the nearest neighbour of a sample of URLs, and the
// S-curve of the tables. Reads all cluster sizes, and at most 10,000 lists.
Result<Json> distributions_of(const Run& run);

// Numbers for the pictures in the report of a run of kith dedup.

// Takes a look at every group, and at some of the pairs.
Result<Json> distributions_of(const DedupRun& run);

}  // namespace kith::server
