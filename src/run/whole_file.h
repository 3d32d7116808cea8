// Files that are read whole, such as those that a user writes by hand.
#pragma once

#include <string>

#include "kith/status.h"

namespace kith::run {

// The bytes of a file, a pipe, or standard input ("-"). Takes as much memory. An error (not_found
// or io) when it cannot be read.
Result<std::string> read_whole_file(const std::string& path);

// What messages call it.
std::string name_of_input(const std::string& path);

}  // namespace kith::run
