#include "similar/tables/part_pairs.h"

#include <algorithm>
#include <tuple>

namespace kith::similar {

PartPairs::PartPairs(sketch::BagCollection bags, sketch::SignaturePlane plane,
                     std::span<const PartMember> members, PartPairRule rule, uint64_t term_limit)
    : bags_(bags),
      plane_(plane),
      rule_(rule),
      term_limit_(term_limit),
      by_part_(members.begin(), members.end()),
      by_bag_(members.begin(), members.end()),
      begins_(bags.size() + 1) {
  std::ranges::sort(by_part_, {},
                    [](const PartMember& member) { return std::tuple(member.part, member.bag); });
  std::ranges::sort(by_bag_, {},
                    [](const PartMember& member) { return std::tuple(member.bag, member.part); });
  for (const PartMember& member : by_bag_) ++begins_[member.bag + 1];
  for (size_t bag = 0; bag < bags.size(); ++bag) begins_[bag + 1] += begins_[bag];
}

std::vector<Pair> PartPairs::next(size_t most) {
  std::vector<Pair> found;
  while (next_ < by_part_.size() && found.size() < most) {
    const uint64_t part = by_part_[next_].part;
    size_t end = next_;
    while (end < by_part_.size() && by_part_[end].part == part) ++end;
    for (; next_ < end && found.size() < most; ++next_) add_pairs_of(next_, end, found);
  }
  return found;
}

// Of the bag at a place of by_part_ with those behind it in its part, which ends at `end`.
void PartPairs::add_pairs_of(size_t at, size_t end, std::vector<Pair>& found) {
  const PartMember& first = by_part_[at];
  candidates_.clear();
  for (size_t i = at + 1; i < end; ++i) {
    const uint32_t other = by_part_[i].bag;
    if (sketch::count_equal(plane_[first.bag], plane_[other]) < rule_.min_count) continue;
    if (meet_first_in(first.part, first.bag, other)) candidates_.push_back(other);
  }
  if (candidates_.empty()) return;
  weights_.set(bags_[first.bag], weights_pay(candidates_.size()) ? term_limit_ : UINT64_MAX);
  for (const uint32_t other : candidates_) {
    const uint32_t sum = weights_.sum_with(bags_[other]);
    if (sum >= rule_.min_sum) found.push_back({first.bag, other, sum});
  }
  weights_.clear();
}

bool PartPairs::meet_first_in(uint64_t part, uint32_t a, uint32_t b) const {
  const std::span<const PartMember> left = parts_of(a);
  const std::span<const PartMember> right = parts_of(b);
  for (size_t i = 0, j = 0; i < left.size() && j < right.size();) {
    if (left[i].part == right[j].part) return left[i].part == part;
    left[i].part < right[j].part ? ++i : ++j;
  }
  return false;
}

}  // namespace kith::similar
