// The passages of two documents as JSON.
#pragma once

#include <vector>

#include "kith/compare.h"

#include "json.h"

namespace kith::server {

// For each passage its kind and its text in A, in B or in both; of one that stands elsewhere in the
// other document, `twin` is the number of the passage in which it stands there.
Json passages_json(const Document& a, const Document& b, const std::vector<Passage>& passages);

}  // namespace kith::server
