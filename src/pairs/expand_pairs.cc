#include <algorithm>

#include "pairs/lsh_join.h"

namespace kith::pairs {
namespace {

// The neighbours of every representative in both directions, as one array.
struct Adjacency {
  std::vector<uint64_t> offsets;
  std::vector<Neighbour> neighbours;

  Adjacency(std::span<const Pair> pairs, size_t n) : offsets(n + 1), neighbours(2 * pairs.size()) {
    for (const Pair& pair : pairs) {
      ++offsets[pair.a + 1];
      ++offsets[pair.b + 1];
    }
    for (size_t id = 0; id < n; ++id) offsets[id + 1] += offsets[id];
    std::vector<uint64_t> next(offsets.begin(), offsets.end() - 1);
    for (const Pair& pair : pairs) {
      neighbours[next[pair.a]++] = {pair.b, pair.sum_of_minima};
      neighbours[next[pair.b]++] = {pair.a, pair.sum_of_minima};
    }
  }
  std::span<const Neighbour> operator[](uint32_t id) const {
    return std::span(neighbours).subspan(offsets[id], offsets[id + 1] - offsets[id]);
  }
};

}  // namespace

Status expand_pairs(std::span<const Pair> pairs, const DuplicateGroups& groups, ThreadPool& pool,
                    const PairSink& sink) {
  constexpr size_t batch = 1024;
  const Adjacency similar(pairs, groups.size());
  std::vector<std::vector<Neighbour>> lists(batch);
  for (size_t first = 0; first < groups.size(); first += batch) {
    const size_t count = std::min(batch, groups.size() - first);
    pool.for_chunks(count, 64, [&](size_t begin, size_t end, unsigned) {
      for (size_t i = begin; i < end; ++i) {
        const auto id = static_cast<uint32_t>(first + i);
        const Neighbour twins{groups.representative[id], bag_total};
        lists[i].clear();
        expand_similar({&twins, 1}, groups, id, lists[i]);
        expand_similar(similar[twins.id], groups, id, lists[i]);
        std::sort(lists[i].begin(), lists[i].end(),
                  [](const Neighbour& a, const Neighbour& b) { return a.id < b.id; });
      }
    });
    for (size_t i = 0; i < count; ++i) {
      if (!lists[i].empty()) KITH_TRY(sink(static_cast<uint32_t>(first + i), lists[i]));
    }
  }
  return Status::ok();
}

}  // namespace kith::pairs
