// Numbers for the pictures in the report of a run of kith dedup.
#pragma once

#include <nlohmann/json.hpp>

#include "kith/kith.h"

namespace kith::server {

// Takes a look at every group, and at some of the pairs.
Result<nlohmann::ordered_json> distributions_of(const DedupRun& run);

}  // namespace kith::server
