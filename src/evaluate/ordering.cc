#include "evaluate/ordering.h"

#include <algorithm>

namespace kith::evaluate {
namespace {

OrderAgreement with_gamma(uint64_t agree, uint64_t disagree) {
  OrderAgreement order{agree, disagree, std::nullopt};
  const uint64_t pairs = agree + disagree;
  if (pairs > 0) {
    order.gamma =
        (static_cast<double>(agree) - static_cast<double>(disagree)) / static_cast<double>(pairs);
  }
  return order;
}

}  // namespace

uint32_t familial_distance(const LabelTree& tree, std::span<const uint32_t> source,
                           std::span<const uint32_t> other) {
  uint32_t least = unrelated;
  for (const uint32_t own : source) {
    for (const uint32_t its : other) {
      const uint32_t common = tree.common_ancestor(own, its);
      if (common == LabelTree::root) continue;
      least = std::min(least, tree.depth(own) - tree.depth(common));
    }
  }
  return least;
}

void OrderCounter::add(std::span<const RankedItem> list) {
  Counts nearer{};
  for (size_t begin = 0; begin < list.size();) {
    Counts tied{};
    size_t end = begin;
    for (; end < list.size() && list[end].similarity == list[begin].similarity; ++end) {
      ++tied[list[end].distance];
    }
    count(nearer, tied);
    for (size_t i = 0; i < distances; ++i) nearer[i] += tied[i];
    begin = end;
  }
}

void OrderCounter::count(const Counts& nearer, const Counts& tied) {
  for (size_t second = 0; second < distances; ++second) {
    if (tied[second] == 0) continue;
    for (size_t first = 0; first < distances; ++first) {
      pairs_[first][second] += nearer[first] * tied[second];
    }
  }
}

FamilialOrder OrderCounter::order() const {
  const auto between = [this](size_t near, size_t far) {
    return with_gamma(pairs_[near][far], pairs_[far][near]);
  };
  uint64_t agree = 0;
  uint64_t disagree = 0;
  for (size_t near = 0; near < distances; ++near) {
    for (size_t far = near + 1; far < distances; ++far) {
      agree += pairs_[near][far];
      disagree += pairs_[far][near];
    }
  }
  return {with_gamma(agree, disagree), between(0, 1), between(0, 2), between(0, unrelated)};
}

}  // namespace kith::evaluate
