#include "bags/bag_weigher.h"

#include <algorithm>

namespace kith::bags {
namespace {

// Makes the weights add up to `share`, about.
void scale(std::vector<RealWeight>& weights, double share) {
  double sum = 0;
  for (const RealWeight& entry : weights) sum += entry.weight;
  for (RealWeight& entry : weights) entry.weight *= share / sum;
}

}  // namespace

void BagWeigher::gather(std::span<const TermCount> counts, bool frequent) {
  const Slots slots = dictionary_->slots;
  for (auto& part : parts_) part.clear();
  for (const TermCount& entry : counts) {
    const uint32_t term = dictionary_->final_id[slots.term(entry.term)];
    if (term == no_term) continue;
    const unsigned part = slots.part(entry.term);
    const TermFactor factor = dictionary_->factors[part][term];
    if (factor.is_rare() || factor.is_frequent() != frequent) continue;
    parts_[part].push_back({term, count_factor(options_.weighting, entry.count) * factor.factor()});
  }
  for (auto& part : parts_) std::ranges::sort(part, {}, &RealWeight::term);
}

bool BagWeigher::has_weights() const {
  return std::ranges::any_of(parts_, [](const auto& part) { return !part.empty(); });
}

// Both parts in the order of their terms, each with its share of the sum.
std::span<const RealWeight> BagWeigher::add_parts() {
  auto& [content, anchor] = parts_;
  if (anchor.empty()) return content;
  if (content.empty()) return anchor;
  scale(content, options_.content_share);
  scale(anchor, 1 - options_.content_share);
  sum_.clear();
  auto other = anchor.begin();
  for (const RealWeight& entry : content) {
    while (other != anchor.end() && other->term < entry.term) sum_.push_back(*other++);
    sum_.push_back(entry);
    if (other != anchor.end() && other->term == entry.term) sum_.back().weight += other++->weight;
  }
  sum_.insert(sum_.end(), other, anchor.end());
  return sum_;
}

sketch::Bag BagWeigher::weigh(std::span<const TermCount> counts) {
  gather(counts, false);
  if (!has_weights()) {
    gather(counts, true);
    rescued_ += has_weights();
  }
  cut_entries_ += normalise(add_parts(), options_.max_terms, bag_);
  return bag_;
}

}  // namespace kith::bags
