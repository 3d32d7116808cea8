// Folders of the operating system. The iterators of std::filesystem, and remove_all(), end the
// program where there is no memory for them: their steps are noexcept.
#pragma once

#include <string>
#include <vector>

#include "kith/status.h"

namespace kith::storage {

// The names of what is in the folder, files and folders, in order of their bytes. Error (not_found,
// io) where it cannot be listed. Thread-safe.
Result<std::vector<std::string>> names_in(const std::string& folder);

// Removes the file or link, or the folder with all in it; links are not followed. Nothing there is
// no error. Error (io) at the first that cannot be removed. Thread-safe.
Status remove_tree(const std::string& path);

}  // namespace kith::storage
