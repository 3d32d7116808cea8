// Runs in which a URL may stand several times to one in which it stands once. Internal to this
// folder.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kith/status.h"

#include "bags/run.h"
#include "storage/file_system.h"

namespace kith::bags {

// Merges runs into one at `path` and removes them. Records of one URL become one: counts are added
// up, and the title is the first that is not empty. Calls take(bag) for every bag of the result, in
// order. Memory: about `memory`, and the records of one URL. Files: RunMerger's, on several levels
// when there are many runs.
Status join_runs(storage::FileSystem& fs, std::vector<std::string> runs, const std::string& path,
                 uint64_t memory, const std::function<Status(const RawBag& bag)>& take);

}  // namespace kith::bags
