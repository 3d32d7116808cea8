// The counts of a page to its weighted bag (docs/algorithms/bags.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kith/options.h"

#include "bags/run.h"
#include "bags/vocabulary/dictionary.h"
#include "bags/weights.h"
#include "sketch/bag.h"

namespace kith::bags {

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

}  // namespace kith::bags
