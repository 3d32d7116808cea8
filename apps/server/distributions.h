// What the pictures of a report are drawn from.
#pragma once

#include "kith/kith.h"

#include "json.h"

namespace kith::server {

// The sizes of clusters, the similarity of the nearest neighbour of a sample of URLs, and the
// S-curve of the tables. Reads all cluster sizes, and at most 10,000 lists.
Result<Json> distributions_of(const Run& run);

}  // namespace kith::server
