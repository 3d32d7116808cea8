// From the runs of all partitions to the final tables.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kith/options.h"
#include "kith/report.h"
#include "kith/status.h"

#include "bags/copies.h"
#include "bags/run.h"
#include "bags/vocabulary/dictionary.h"
#include "bags/weights.h"
#include "base/parallel/thread_pool.h"
#include "sketch/bag.h"
#include "storage/file_system.h"

namespace kith::bags {

// The counts of a page to its weighted bag (docs/algorithms/bags.md).
struct WeightOptions {
  Weighting weighting = Weighting::tf_idf;
  double content_share = 0.5;  // of the content in a bag of two parts, in (0, 1)
  uint32_t max_terms = 0;      // of a bag: those of the largest weights; 0: all
};

// Turns raw counts into the weighted bag of final term ids. A word above the upper limit of
// document frequency is left out unless the bag has no other: a page whose every word is
// frequent still says something, and an equal page says the same. The parts of a bag are weighted
// each by itself and added in their shares; where one is empty the other is all. Not thread-safe.
class BagWeigher {
 public:
  // `dictionary` must outlive this object.
  BagWeigher(const Dictionary& dictionary, const WeightOptions& options)
      : dictionary_(&dictionary), options_(options) {}

  // counts: by slot. The view is valid until the next call.
  sketch::Bag weigh(std::span<const TermCount> counts);

  uint64_t rescued() const { return rescued_; }
  uint64_t cut_entries() const { return cut_entries_; }

 private:
  void gather(std::span<const TermCount> counts, bool frequent);
  bool has_weights() const;
  std::span<const RealWeight> add_parts();

  const Dictionary* dictionary_;
  WeightOptions options_;
  std::array<std::vector<RealWeight>, max_parts> parts_;  // by final id
  std::vector<RealWeight> sum_;
  std::vector<sketch::BagEntry> bag_;
  uint64_t rescued_ = 0;
  uint64_t cut_entries_ = 0;
};

// Runs to the final files: one merge in SURT order gives URL ids and, with the dictionary, weighted
// bags (docs/algorithms/bags.md).

// Merges the runs at `run_paths` and writes the url, title and bag files into `directory`.
// Counts URLs and what their bags hold. Every URL stands in one run only. The runs are merged by
// one thread while all weigh what was merged before. Memory: about read_buffers bytes, some MB per
// thread, and 21 bytes per URL.
Status merge_runs(storage::FileSystem& fs, std::span<const std::string> run_paths,
                  const std::string& directory, const Dictionary& dictionary,
                  const WeightOptions& weights, const CopyAnchors& copies, uint64_t read_buffers,
                  ThreadPool& pool, BagsCounts& counts);

}  // namespace kith::bags
