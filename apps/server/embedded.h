// Files that are part of the program.
#pragma once

#include <string_view>

namespace kith::server {

// The description of the API, openapi.json of this folder.
std::string_view embedded_openapi();

}  // namespace kith::server
