#include "cluster/order.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/large_array.h"
#include "base/parallel/radix_sort.h"
#include "base/rng.h"

namespace kith::cluster {

std::vector<uint32_t> order_by_id(size_t n) {
  KITH_CHECK(n < std::numeric_limits<uint32_t>::max());
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

}  // namespace kith::cluster
