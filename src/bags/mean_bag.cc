#include "bags/mean_bag.h"

#include <algorithm>
#include <cstddef>

namespace kith::bags {

void MeanBag::add(sketch::Bag bag, uint32_t share) {
  for (const sketch::BagEntry& entry : bag) sums_[entry.term] += uint64_t{share} * entry.weight;
}

void MeanBag::take(uint32_t max_terms, std::vector<sketch::BagEntry>& bag) {
  ordered_.assign(sums_.begin(), sums_.end());
  sums_.clear();
  if (ordered_.size() > max_terms) {
    std::ranges::nth_element(ordered_, ordered_.begin() + static_cast<ptrdiff_t>(max_terms),
                             [](const auto& a, const auto& b) {
                               return a.second != b.second ? a.second > b.second
                                                           : a.first < b.first;
                             });
    ordered_.resize(max_terms);
  }
  std::ranges::sort(ordered_);
  weights_.clear();
  for (const auto& [term, sum] : ordered_) weights_.push_back({term, static_cast<double>(sum)});
  normalise(weights_, 0, bag);
}

}  // namespace kith::bags
