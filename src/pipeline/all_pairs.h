// All pairs of a finished run, computed anew by the run's engine: nothing need be kept for a
// list that few ask for and that can be far larger than the crawl.
#pragma once

#include <functional>
#include <string>

#include "kith/report.h"
#include "kith/run.h"
#include "kith/status.h"

#include "parallel/thread_pool.h"
#include "sketch/bag.h"
#include "storage/file_system.h"

namespace kith::pipeline {

// Run::for_each_pair with the engine, the floor and the seeds that `report` names;
// `signatures_path` is the run's signatures file, which only the LSH engine has.
Status for_each_pair(storage::FileSystem& fs, const BagCollection& bags, const Report& report,
                     const std::string& signatures_path, ThreadPool& pool,
                     const std::function<bool(const SimilarPair&)>& take);

}  // namespace kith::pipeline
