#include "bags/bag_weigher.h"

#include <algorithm>

namespace kith::bags {

void BagWeigher::gather(std::span<const TermCount> counts, bool frequent) {
  weights_.clear();
  for (const TermCount& entry : counts) {
    const uint32_t term = dictionary_->final_id[entry.term];
    if (term == no_term || (term < dictionary_->frequent) != frequent) continue;
    weights_.push_back({term, count_factor(weighting_, entry.count) * dictionary_->factor[term]});
  }
}

Bag BagWeigher::weigh(std::span<const TermCount> counts) {
  gather(counts, false);
  if (weights_.empty()) {
    gather(counts, true);
    rescued_ += !weights_.empty();
  }
  std::ranges::sort(weights_, {}, &RealWeight::term);
  cut_entries_ += normalise(weights_, bag_);
  return bag_;
}

}  // namespace kith::bags
