#include "topics/reassignment.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "topics/as_double.h"
#include "topics/products.h"

namespace kith::topics {
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
