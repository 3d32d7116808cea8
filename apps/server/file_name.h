// What clients are told of a path: they need not know where files lie.
#pragma once

#include <string>

namespace kith::server {

// The last part of a path that is not empty, such as "run" of "/srv/kith/run/"; "run" where there
// is none. "-" stays.
std::string file_name_of(const std::string& path);

}  // namespace kith::server
