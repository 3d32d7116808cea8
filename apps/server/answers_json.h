// Answers about passages and streams as JSON.
#pragma once

#include <vector>

#include "kith/compare.h"
#include "kith/kith.h"

#include "server/lists.h"

namespace kith::server {

// The passages of two documents as JSON.

// For each passage its kind and its text in A, in B or in both; of one that stands elsewhere in the
// other document, `twin` is the number of the passage in which it stands there.
Json passages_json(const Document& a, const Document& b, const std::vector<Passage>& passages);

// What a stream says, as JSON.
Json json_of(const StreamCounts& counts);
Json decisions_json(const std::vector<StreamDecision>& decisions);
Json pairs_json(const std::vector<StreamPair>& pairs);
Json pages_json(const std::vector<StreamPreview>& pages);

}  // namespace kith::server
