// The file of --stop-words.
#pragma once

#include <string>
#include <vector>

#include "kith/status.h"

namespace kith::cli {

// Words between white space; from a # at the beginning of a word to the end of its line nothing is
// read. Errors: the file cannot be opened (not_found), cannot be read or has no word (usage).
Result<std::vector<std::string>> read_stop_words(const std::string& path);

}  // namespace kith::cli
