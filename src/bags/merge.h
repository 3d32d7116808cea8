// Runs to the final files: one merge in SURT order gives URL ids and, with the dictionary, weighted
// bags (docs/algorithms/bags.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kith/options.h"
#include "kith/report.h"
#include "kith/status.h"

#include "bags/bag_weigher.h"
#include "bags/copies.h"
#include "bags/vocabulary/dictionary.h"
#include "base/parallel/thread_pool.h"
#include "storage/file_system.h"

namespace kith::bags {

// Merges the runs at `run_paths` and writes the url, title and bag files into `directory`.
// Counts URLs and what their bags hold. Every URL stands in one run only. The runs are merged by
// one thread while all weigh what was merged before. Memory: about read_buffers bytes, some MB per
// thread, and 21 bytes per URL.
Status merge_runs(storage::FileSystem& fs, std::span<const std::string> run_paths,
                  const std::string& directory, const Dictionary& dictionary,
                  const WeightOptions& weights, const CopyAnchors& copies, uint64_t read_buffers,
                  ThreadPool& pool, BagsCounts& counts);

}  // namespace kith::bags
