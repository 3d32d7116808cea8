// Numbers for the pictures in the report of a run of kith dedup.
#pragma once

#include "kith/kith.h"

#include "json.h"

namespace kith::server {

// Takes a look at every group, and at some of the pairs.
Result<Json> distributions_of(const DedupRun& run);

}  // namespace kith::server
