// The JSON of answers: objects keep the order in which their members are written.
#pragma once

#include <nlohmann/json.hpp>

namespace kith::server {

using Json = nlohmann::ordered_json;

}  // namespace kith::server
