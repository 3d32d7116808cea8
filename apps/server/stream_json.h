// What a stream says, as JSON.
#pragma once

#include "kith/kith.h"

#include "json.h"

namespace kith::server {

Json json_of(const StreamCounts& counts);
Json json_of(const StreamLinesAnswer& answer);
Json json_of(const StreamLinesPreview& preview);

}  // namespace kith::server
