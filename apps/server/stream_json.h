// What a stream says, as JSON.
#pragma once

#include <vector>

#include "kith/kith.h"

#include "json.h"

namespace kith::server {

Json json_of(const StreamCounts& counts);
Json decisions_json(const std::vector<StreamDecision>& decisions);
Json pairs_json(const std::vector<StreamPair>& pairs);
Json pages_json(const std::vector<StreamPreview>& pages);

}  // namespace kith::server
