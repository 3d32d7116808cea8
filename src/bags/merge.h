// Runs to the final files: one merge in SURT order gives URL ids and, with the dictionary,
// weighted bags (DESIGN.md section 2, "URL identity" and "Weights").
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "kith/options.h"
#include "kith/status.h"

#include "bags/dictionary.h"
#include "bags/run.h"
#include "bags/weights.h"
#include "sketch/bag.h"
#include "storage/file_system.h"

namespace kith::bags {

struct MergeCounts {
  uint64_t urls = 0;
  uint64_t entries = 0;       // of all bags
  uint64_t empty_bags = 0;    // URLs without a word that counts
  uint64_t rescued_bags = 0;  // bags of frequent words alone, which keep them
  uint64_t cut_entries = 0;   // words beyond the largest bag that normalise keeps
};

// Turns raw counts into the weighted bag of final term ids. A word above the upper limit of
// document frequency is left out unless the bag has no other: a page whose every word is
// frequent still says something, and an equal page says the same. Not thread-safe.
class BagWeigher {
 public:
  // `dictionary` must outlive this object.
  BagWeigher(const Dictionary& dictionary, Weighting weighting)
      : dictionary_(&dictionary), weighting_(weighting) {}

  // The view is valid until the next call.
  Bag weigh(std::span<const TermCount> counts);

  uint64_t rescued() const { return rescued_; }
  uint64_t cut_entries() const { return cut_entries_; }

 private:
  void gather(std::span<const TermCount> counts, bool frequent);

  const Dictionary* dictionary_;
  Weighting weighting_;
  std::vector<RealWeight> weights_;
  std::vector<BagEntry> bag_;
  uint64_t rescued_ = 0;
  uint64_t cut_entries_ = 0;
};

// Merges the runs at `run_paths` and writes the url, title and bag files into `directory`.
// Every URL stands in one run only. Memory: about read_buffers bytes, and 13 bytes a URL.
Result<MergeCounts> merge_runs(storage::FileSystem& fs, std::span<const std::string> run_paths,
                               const std::string& directory, const Dictionary& dictionary,
                               Weighting weighting, uint64_t read_buffers);

}  // namespace kith::bags
