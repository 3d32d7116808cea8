#include "topics/joining.h"

#include <algorithm>
#include <numeric>

#include "topics/contraction.h"

namespace kith::topics {
namespace {

class Chains {
 public:
  Chains(SimilarityMatrix& similarity, std::span<const uint64_t> pages)
      : similarity_(similarity), pages_(pages.begin(), pages.end()), alive_(pages.size(), 1) {}

  std::vector<Merge> run() {
    std::vector<Merge> merges;
    size_t first = 0;  // no group before it is alive
    std::vector<uint32_t> chain;
    while (merges.size() + 1 < pages_.size()) {
      if (chain.empty()) {
        while (!alive_[first]) ++first;
        chain.push_back(static_cast<uint32_t>(first));
      }
      const uint32_t last = chain.back();
      const uint32_t previous = chain.size() > 1 ? chain[chain.size() - 2] : similar::no_id;
      const uint32_t next = nearest(last, previous);
      if (next != previous) {
        chain.push_back(next);
        continue;
      }
      chain.resize(chain.size() - 2);
      merges.push_back(merge(std::min(last, next), std::max(last, next)));
    }
    return merges;
  }

 private:
  // Ties: the previous of the chain, so that it ends; else the smaller number.
  uint32_t nearest(uint32_t group, uint32_t previous) const {
    uint32_t best = previous;
    for (uint32_t other = 0; other < pages_.size(); ++other) {
      if (!alive_[other] || other == group) continue;
      if (best == similar::no_id || similarity_.at(group, other) > similarity_.at(group, best)) {
        best = other;
      }
    }
    return best;
  }

  Merge merge(uint32_t a, uint32_t b) {
    const auto na = static_cast<double>(pages_[a]);
    const auto nb = static_cast<double>(pages_[b]);
    const Merge merge{a, b, similarity_.at(a, b)};
    alive_[b] = 0;
    pages_[a] += pages_[b];
    for (uint32_t other = 0; other < pages_.size(); ++other) {
      if (!alive_[other] || other == a) continue;
      const double mean =
          (na * similarity_.at(a, other) + nb * similarity_.at(b, other)) / (na + nb);
      similarity_.at(a, other) = mean;
      similarity_.at(other, a) = mean;
    }
    return merge;
  }

  SimilarityMatrix& similarity_;
  std::vector<uint64_t> pages_;
  std::vector<uint8_t> alive_;
};

}  // namespace

std::vector<Merge> merge_tree(SimilarityMatrix similarity, std::span<const uint64_t> pages) {
  if (pages.empty()) return {};
  std::vector<Merge> merges = Chains(similarity, pages).run();
  // Rounding must not put a merge above those of its parts.
  std::vector<double> least(pages.size(), std::numeric_limits<double>::infinity());
  for (Merge& merge : merges) {
    merge.similarity = std::min({merge.similarity, least[merge.a], least[merge.b]});
    least[merge.a] = merge.similarity;
  }
  std::ranges::stable_sort(merges, std::ranges::greater(), &Merge::similarity);
  return merges;
}

std::vector<uint32_t> join(std::span<const Merge> tree, std::span<const uint64_t> pages,
                           const JoinLimits& limits) {
  std::vector<uint32_t> joined(pages.size());
  std::iota(joined.begin(), joined.end(), 0u);
  std::vector<uint64_t> size(pages.begin(), pages.end());
  const auto counts = [&](uint64_t n) { return n >= limits.min_pages; };
  auto counting = static_cast<size_t>(std::ranges::count_if(size, counts));
  size_t left = pages.size();
  for (const Merge& merge : tree) {
    const bool is_alike = merge.similarity > limits.least;
    if (left <= 2 || (!is_alike && counting <= limits.max_groups)) break;
    counting -= counts(size[merge.a]) + counts(size[merge.b]);
    size[merge.a] += size[merge.b];
    counting += counts(size[merge.a]);
    joined[merge.b] = merge.a;
    --left;
  }
  // What a group was merged into has a smaller number, and comes first.
  for (uint32_t& group : joined) group = joined[group];
  renumber(joined);
  return joined;
}

}  // namespace kith::topics
