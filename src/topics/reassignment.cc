#include "topics/reassignment.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <utility>

#include "topics/communities.h"
#include "topics/vectors.h"

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

namespace {

// Adds a vector of so many pages to a group; takes it away where the number is that of -pages.
// `alone`: no other thread does so.
void add(Groups& groups, uint32_t g, Vector vector, uint64_t pages, bool alone) {
  std::atomic_ref(groups.pages[g]).fetch_add(pages, std::memory_order_relaxed);
  for (const Coordinate& c : vector) {
    uint64_t& sum = groups.sums[c.term][g];
    if (alone) {
      sum += pages * c.value;
    } else {
      std::atomic_ref(sum).fetch_add(pages * c.value, std::memory_order_relaxed);
    }
  }
}

template <class Value>
TermMatrix<Value> columns(const TermMatrix<Value>& matrix, std::span<const uint32_t> kept) {
  TermMatrix<Value> result(matrix.terms(), kept.size());
  for (size_t term = 0; term < matrix.terms(); ++term) {
    for (size_t i = 0; i < kept.size(); ++i) result[term][i] = matrix[term][kept[i]];
  }
  return result;
}

class Reassigner {
 public:
  Reassigner(const TopicVectors& vectors, std::span<const uint64_t> sum, Groups& groups,
             ThreadPool& pool)
      : vectors_(vectors), sum_(sum), groups_(groups), pool_(pool) {}

  // False when no node has moved, so that further rounds would not move any either.
  bool round() {
    moves_ = 0;
    set_directions(vectors_, sum_, groups_, pool_);
    const std::vector<uint8_t> all(groups_.pages.size(), 1);
    assign(all, [](uint32_t) { return true; });
    drop_groups([&](size_t g) { return groups_.pages[g] == 0; });
    return moves_ > 0;
  }

  void dissolve_small(uint32_t min_pages) {
    std::vector<uint8_t> stays(groups_.pages.size());
    for (size_t g = 0; g < stays.size(); ++g) stays[g] = groups_.pages[g] >= min_pages;
    if (std::ranges::count(stays, 1) == 0) return;
    assign(stays, [&](uint32_t own) { return !stays[own]; });
    drop_groups([&](size_t g) { return !stays[g]; });
  }

 private:
  // Of the groups that are open. REQUIRES: there is one.
  uint32_t best(Vector vector, std::span<const uint8_t> open, std::vector<double>& fits) const {
    set_products(vector, groups_.directions, fits);
    uint32_t best = no_group;
    for (uint32_t g = 0; g < open.size(); ++g) {
      if (open[g] && (best == no_group || fits[g] > fits[best])) best = g;
    }
    return best;
  }

  template <class Moves>
  void assign(std::span<const uint8_t> open, const Moves& moves) {
    pool_.for_chunks(vectors_.size(), TopicVectors::grain, [&](size_t begin, size_t end, unsigned) {
      TopicVectors::Stretch stretch(vectors_, begin, end);
      std::vector<double> fits(groups_.pages.size() + product_lanes);
      for (size_t i = begin; i < end; ++i) {
        if (!moves(groups_.group[i])) continue;
        const Vector vector = stretch[i];
        move(i, vector, best(vector, open, fits));
      }
    });
  }

  void move(size_t i, Vector vector, uint32_t target) {
    const uint32_t own = groups_.group[i];
    if (own == target) return;
    moves_.fetch_add(1, std::memory_order_relaxed);
    const uint64_t pages = vectors_.pages(i);
    if (own != no_group) add(groups_, own, vector, -pages, pool_.size() == 1);
    add(groups_, target, vector, pages, pool_.size() == 1);
    groups_.group[i] = target;
  }

  // Those that drop(g) says have no nodes.
  template <class Drop>
  void drop_groups(const Drop& drop) {
    std::vector<uint32_t> kept;
    for (uint32_t g = 0; g < groups_.pages.size(); ++g) {
      if (!drop(g)) kept.push_back(g);
    }
    if (kept.size() < groups_.pages.size()) reorder_groups(groups_, kept);
  }

  const TopicVectors& vectors_;
  const std::span<const uint64_t> sum_;
  Groups& groups_;
  ThreadPool& pool_;
  std::atomic<uint64_t> moves_ = 0;  // of the round
};

}  // namespace

void reorder_groups(Groups& groups, std::span<const uint32_t> kept) {
  std::vector<uint32_t> number(groups.pages.size(), no_group);
  std::vector<uint64_t> pages;
  for (uint32_t i = 0; i < kept.size(); ++i) {
    number[kept[i]] = i;
    pages.push_back(groups.pages[kept[i]]);
  }
  for (uint32_t& g : groups.group) {
    if (g != no_group) g = number[g];
  }
  groups.pages = std::move(pages);
  groups.sums = columns(groups.sums, kept);
  groups.directions = columns(groups.directions, kept);
}

void set_directions(const TopicVectors& vectors, std::span<const uint64_t> sum, Groups& groups,
                    ThreadPool& pool) {
  const size_t count = groups.pages.size();
  groups.directions = TermMatrix<float>(vectors.terms(), count);
  std::vector<double> scale(count);
  for (size_t g = 0; g < count; ++g) {
    scale[g] = 1 / (vector_one * static_cast<double>(std::max<uint64_t>(1, groups.pages[g])));
  }
  std::vector<double> square(count);
  const double all = 1 / (vector_one * static_cast<double>(vectors.total_pages()));
  for (size_t term = 0; term < vectors.terms(); ++term) {
    if (term % (size_t{1} << 14) == 0) pool.poll();
    const double mean = as_double(sum[term]) * all;
    const auto sums = std::as_const(groups.sums)[term];
    const auto directions = groups.directions[term];
    for (size_t g = 0; g < count; ++g) {
      const double centred = as_double(sums[g]) * scale[g] - mean;
      directions[g] = static_cast<float>(centred);
      square[g] += centred * centred;
    }
  }
  std::vector<float> shrink(count);
  for (size_t g = 0; g < count; ++g) {
    shrink[g] = square[g] > 0 ? static_cast<float>(1 / std::sqrt(square[g])) : 0;
  }
  for (size_t term = 0; term < vectors.terms(); ++term) {
    const auto directions = groups.directions[term];
    for (size_t g = 0; g < count; ++g) directions[g] *= shrink[g];
  }
}

Groups make_groups(const TopicVectors& vectors, std::vector<uint32_t> group, uint32_t groups,
                   ThreadPool& pool) {
  Groups made;
  made.group = std::move(group);
  made.pages.assign(groups, 0);
  made.sums = TermMatrix<uint64_t>(vectors.terms(), groups);
  pool.for_chunks(vectors.size(), TopicVectors::grain, [&](size_t begin, size_t end, unsigned) {
    TopicVectors::Stretch stretch(vectors, begin, end);
    for (size_t i = begin; i < end; ++i) {
      const uint32_t g = made.group[i];
      if (g == no_group) continue;
      add(made, g, stretch[i], vectors.pages(i), pool.size() == 1);
    }
  });
  return made;
}

void reassign(const TopicVectors& vectors, std::span<const uint64_t> sum,
              const TreeOptions& options, Groups& groups, ThreadPool& pool) {
  Reassigner reassigner(vectors, sum, groups, pool);
  uint32_t round = 0;
  while (round < options.rounds && reassigner.round()) ++round;
  reassigner.dissolve_small(options.min_group);
}

}  // namespace kith::topics
