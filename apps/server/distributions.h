// What the pictures of a report are drawn from.
#pragma once

#include <nlohmann/json.hpp>

#include "kith/kith.h"

namespace kith::server {

// The sizes of clusters, the similarity of the nearest neighbour of a sample of URLs, and the
// S-curve of the tables. Reads all cluster sizes, and at most 10,000 lists.
Result<nlohmann::ordered_json> distributions_of(const Run& run);

}  // namespace kith::server
