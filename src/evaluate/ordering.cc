#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <vector>

#include "base/check.h"
#include "evaluate/agreement.h"

namespace kith::evaluate {
namespace {

// Of the items below a node.
struct Below {
  std::map<uint32_t, uint64_t> labels;             // items by label
  std::map<uint32_t, uint64_t> pairs_of_children;  // by label: pairs below one child
  uint64_t items = 0;
};

double pairs(uint64_t items) {
  return static_cast<double>(items) * static_cast<double>(items - 1) / 2;
}

}  // namespace

std::optional<double> dendrogram_purity(std::span<const uint32_t> parent,
                                        std::span<const uint32_t> node,
                                        std::span<const uint32_t> label) {
  KITH_CHECK(node.size() == label.size());
  std::vector<Below> below(parent.size());
  for (size_t i = 0; i < node.size(); ++i) {
    ++below[node[i]].labels[label[i]];
    ++below[node[i]].items;
  }
  double pure = 0;
  double all = 0;
  for (size_t n = parent.size(); n-- > 0;) {
    Below& own = below[n];
    for (const auto& [name, items] : own.labels) {
      const double meeting = pairs(items) - static_cast<double>(own.pairs_of_children[name]);
      pure += meeting * static_cast<double>(items) / static_cast<double>(own.items);
      all += meeting;
      if (n == 0) continue;
      Below& above = below[parent[n]];
      above.labels[name] += items;
      above.pairs_of_children[name] += static_cast<uint64_t>(pairs(items));
    }
    if (n > 0) below[parent[n]].items += own.items;
    own = Below();
  }
  if (all == 0) return std::nullopt;
  return pure / all;
}

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

void PrecisionCounter::add(std::span<const uint8_t> is_right) {
  if (is_right.empty()) {
    ++empty_;
    return;
  }
  ++lists_;
  for (size_t i = 0; i < precision_ranks.size(); ++i) {
    const size_t depth = std::min<size_t>(precision_ranks[i], is_right.size());
    const auto top = is_right.first(depth);
    const auto right = std::accumulate(top.begin(), top.end(), uint64_t{0});
    sums_[i].precision += static_cast<double>(right) / static_cast<double>(depth);
    if (is_right.size() >= precision_ranks[i]) ++sums_[i].full;
  }
}

RankingPrecision PrecisionCounter::precision() const {
  RankingPrecision ranking;
  ranking.pages = lists_;
  ranking.without = empty_;
  for (size_t i = 0; i < precision_ranks.size(); ++i) {
    PrecisionAt at{precision_ranks[i], std::nullopt, sums_[i].full};
    if (lists_ > 0) at.precision = sums_[i].precision / static_cast<double>(lists_);
    ranking.at.push_back(at);
  }
  return ranking;
}

}  // namespace kith::evaluate
