#include "cluster/order.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/large_array.h"
#include "base/rng.h"
#include "parallel/radix_sort.h"

namespace kith::cluster {

std::vector<uint32_t> order_by_id(size_t n) {
  KITH_CHECK(n < no_rank);
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

std::vector<uint32_t> order_by_key(std::span<const uint64_t> keys, ThreadPool& pool) {
  LargeArray<KeyId> sorted(keys.size());
  constexpr size_t grain = 1 << 14;
  pool.for_chunks(keys.size(), grain, [&](size_t begin, size_t end, unsigned) {
    for (size_t id = begin; id < end; ++id) sorted[id] = {~keys[id], static_cast<uint32_t>(id)};
  });
  {
    LargeArray<KeyId> scratch(keys.size());
    radix_sort(sorted.span(), scratch.span(), pool);
  }
  std::vector<uint32_t> order(keys.size());
  std::ranges::transform(sorted.span(), order.begin(), &KeyId::id);
  return order;
}

std::vector<uint32_t> random_order(size_t n, uint64_t seed) {
  std::vector<uint32_t> order = order_by_id(n);
  Rng rng(seed);
  for (size_t i = n; i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  return order;
}

std::vector<uint32_t> ranks_of(std::span<const uint32_t> order, size_t n) {
  std::vector<uint32_t> ranks(n, no_rank);
  for (size_t rank = 0; rank < order.size(); ++rank) {
    KITH_CHECK(order[rank] < n && ranks[order[rank]] == no_rank);
    ranks[order[rank]] = static_cast<uint32_t>(rank);
  }
  return ranks;
}

std::vector<uint32_t> collapse_order(std::span<const uint32_t> order,
                                     std::span<const uint32_t> representative) {
  std::vector<bool> scanned(representative.size(), false);
  std::vector<uint32_t> collapsed;
  collapsed.reserve(order.size());
  for (const uint32_t id : order) {
    const uint32_t group = representative[id];
    if (scanned[group]) continue;
    scanned[group] = true;
    collapsed.push_back(group);
  }
  return collapsed;
}

}  // namespace kith::cluster
