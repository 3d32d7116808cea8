// Runs to the final files: one merge in SURT order gives URL ids and, with the dictionary, weighted
// bags (docs/algorithms/bags.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kith/options.h"
#include "kith/status.h"

#include "bags/vocabulary/dictionary.h"
#include "parallel/thread_pool.h"
#include "storage/file_system.h"

namespace kith::bags {

struct MergeCounts {
  uint64_t urls = 0;
  uint64_t entries = 0;       // of all bags
  uint64_t empty_bags = 0;    // URLs without a word that counts
  uint64_t rescued_bags = 0;  // bags of frequent words alone, which keep them
  uint64_t cut_entries = 0;   // words beyond the largest bag that normalise keeps
};

// Merges the runs at `run_paths` and writes the url, title and bag files into `directory`.
// Every URL stands in one run only. The runs are merged by one thread while all weigh what was
// merged before. Memory: about read_buffers bytes, some MB per thread, and 21 bytes per URL.
Result<MergeCounts> merge_runs(storage::FileSystem& fs, std::span<const std::string> run_paths,
                               const std::string& directory, const Dictionary& dictionary,
                               Weighting weighting, uint64_t read_buffers, ThreadPool& pool);

}  // namespace kith::bags
