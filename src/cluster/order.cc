#include "cluster/order.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/rng.h"
#include "lsh/buckets.h"
#include "parallel/radix_sort.h"

namespace kith::cluster {
namespace {

constexpr size_t grain = 4096;

// The keys of some tables, table by table: one pass over the signatures.
void fill_keys(const lsh::Tables& tables, uint32_t first_table, const Signatures& signatures,
               std::span<const uint32_t> ids, std::span<uint64_t> keys, ThreadPool& pool) {
  const size_t count = keys.size() / std::max<size_t>(1, ids.size());
  pool.for_chunks(ids.size(), grain, [&](size_t begin, size_t end, unsigned) {
    for (size_t i = begin; i < end; ++i) {
      const auto signature = signatures[ids[i]];
      for (size_t table = 0; table < count; ++table) {
        keys[table * ids.size() + i] =
            tables.key(first_table + static_cast<uint32_t>(table), signature);
      }
    }
    signatures.release(ids[begin], ids[end - 1] + 1);
  });
}

// Adds the buckets of one sorted table. An id is in one bucket, so no two chunks write to it.
void add_buckets(std::span<const KeyId> sorted, std::span<const uint32_t> multiplicity,
                 std::span<uint64_t> mass, ThreadPool& pool) {
  const auto weight = [&](const KeyId& entry) {
    return multiplicity.empty() ? uint64_t{1} : multiplicity[entry.id];
  };
  pool.for_chunks(sorted.size(), grain, [&](size_t begin, size_t end, unsigned) {
    // A bucket belongs to the chunk that it begins in.
    while (begin > 0 && begin < end && sorted[begin].key == sorted[begin - 1].key) ++begin;
    while (begin < end) {
      const auto bucket = sorted.subspan(begin, lsh::first_bucket_size(sorted.subspan(begin)));
      uint64_t total = 0;
      for (const KeyId& entry : bucket) total += weight(entry);
      for (const KeyId& entry : bucket) mass[entry.id] += total - 1;
      begin += bucket.size();
    }
  });
}

}  // namespace

std::vector<uint32_t> order_by_id(size_t n) {
  KITH_CHECK(n < no_rank);
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

std::vector<uint32_t> order_by_key(std::span<const uint64_t> keys, ThreadPool& pool) {
  std::vector<KeyId> sorted(keys.size());
  for (uint32_t id = 0; id < keys.size(); ++id) sorted[id] = {~keys[id], id};
  {
    std::vector<KeyId> scratch(keys.size());
    radix_sort(sorted, scratch, pool);
  }
  std::vector<uint32_t> order(keys.size());
  std::ranges::transform(sorted, order.begin(), &KeyId::id);
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

std::vector<uint64_t> lsh_mass(const lsh::Tables& tables, const Signatures& signatures,
                               std::span<const uint32_t> ids,
                               std::span<const uint32_t> multiplicity, uint64_t memory,
                               ThreadPool& pool) {
  KITH_CHECK(multiplicity.empty() || multiplicity.size() == signatures.size());
  std::vector<uint64_t> mass(signatures.size(), 0);
  if (ids.empty()) return mass;
  std::vector<KeyId> sorted(ids.size());
  std::vector<KeyId> scratch(ids.size());
  const uint64_t sorting = 2 * ids.size() * sizeof(KeyId);
  const uint64_t of_table = ids.size() * sizeof(uint64_t);
  const uint32_t counted = std::min(tables.params().tables, most_mass_tables);
  const auto group = static_cast<uint32_t>(
      std::clamp<uint64_t>((memory - std::min(memory, sorting)) / of_table, 1, counted));
  std::vector<uint64_t> keys;
  for (uint32_t first = 0; first < counted; first += group) {
    keys.resize(std::min(group, counted - first) * ids.size());
    fill_keys(tables, first, signatures, ids, keys, pool);
    for (std::span<const uint64_t> rest = keys; !rest.empty(); rest = rest.subspan(ids.size())) {
      pool.for_chunks(ids.size(), grain, [&](size_t begin, size_t end, unsigned) {
        for (size_t i = begin; i < end; ++i) sorted[i] = {rest[i], ids[i]};
      });
      radix_sort(sorted, scratch, pool);
      add_buckets(sorted, multiplicity, mass, pool);
    }
  }
  return mass;
}

std::vector<uint32_t> collapse_order(std::span<const uint32_t> order,
                                     std::span<const uint32_t> representative) {
  std::vector<bool> scanned(representative.size(), false);
  std::vector<uint32_t> collapsed;
  for (const uint32_t id : order) {
    const uint32_t group = representative[id];
    if (scanned[group]) continue;
    scanned[group] = true;
    collapsed.push_back(group);
  }
  return collapsed;
}

}  // namespace kith::cluster
