// What a stream says, as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "kith/kith.h"

namespace kith::server {

nlohmann::ordered_json json_of(const StreamCounts& counts);
nlohmann::ordered_json json_of(const StreamLinesAnswer& answer);
nlohmann::ordered_json json_of(const StreamLinesPreview& preview);

}  // namespace kith::server
