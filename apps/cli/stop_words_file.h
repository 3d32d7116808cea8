// The file of --stop-words.
#pragma once

#include <string>
#include <vector>

#include "kith/status.h"

namespace kith::cli {

// Words between white space; from a # at the beginning of a word to the end of its line nothing is
// read. An error of kind usage when the file cannot be read or has no word.
Result<std::vector<std::string>> read_stop_words(const std::string& path);

}  // namespace kith::cli
