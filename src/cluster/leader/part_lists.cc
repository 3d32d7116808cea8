#include "cluster/leader/part_lists.h"

#include <algorithm>

#include "lsh/buckets.h"
#include "tables/bucket_split.h"

namespace kith::cluster {

void PartLists::fill(const OrderedRows& rows, std::span<const size_t> positions, ThreadPool& pool,
                     const std::function<void(size_t i, const Row& row)>& visit) {
  constexpr size_t grain = 256;
  constexpr size_t ahead = 8;
  workers_.resize(pool.size());
  for (Lists& lists : workers_) lists.resize(tables());
  pool.for_chunks(positions.size(), grain, [&](size_t begin, size_t end, unsigned worker) {
    Lists& lists = workers_[worker];
    std::vector<uint64_t> keys(tables());
    for (size_t i = begin; i < end; ++i) {
      if (i + ahead < end) {
        const size_t next = positions[i + ahead];
        buckets_.shared.prefetch(rows.order()[next]);
        rows.prefetch_signature(next);
      }
      const Row row = rows[positions[i]];
      buckets_.tables.keys(row.signature, keys);
      buckets_.shared.for_each(row.id, 0, tables(), [&](uint32_t table) {
        const uint64_t own = buckets_.classes.key(keys[table], row.id);
        const uint64_t part = buckets_.splits.part(table, own, row.id, row.signature);
        const uint32_t key = buckets_.short_part(table, pairs::bucket_key(part));
        lists[table].push_back({key, static_cast<uint32_t>(i)});
      });
      visit(i, row);
    }
  });
  lists_.resize(tables());
  std::vector<std::vector<ShortKeyId>> scratch(pool.size());
  pool.for_chunks(tables(), 1, [&](size_t begin, size_t end, unsigned worker) {
    for (auto table = static_cast<uint32_t>(begin); table < end; ++table) {
      sort(table, scratch[worker]);
    }
  });
}

void PartLists::sort(uint32_t table, std::vector<ShortKeyId>& scratch) {
  std::vector<ShortKeyId>& list = lists_[table];
  list.clear();
  for (Lists& lists : workers_) {
    list.insert(list.end(), lists[table].begin(), lists[table].end());
    lists[table].clear();
  }
  if (scratch.size() < list.size()) scratch.resize(list.size());
  radix_sort(list, scratch);
  // The rows of each worker ascend, but those of one are not all before those of the next.
  const auto by_number = [](const ShortKeyId& a, const ShortKeyId& b) { return a.id < b.id; };
  for (size_t begin = 0; begin < list.size();) {
    const auto first = list.begin() + static_cast<ptrdiff_t>(begin);
    const size_t size = lsh::first_bucket_size(std::span<const ShortKeyId>(list).subspan(begin));
    const auto last = first + static_cast<ptrdiff_t>(size);
    if (!std::is_sorted(first, last, by_number)) std::sort(first, last, by_number);
    begin += size;
  }
}

void PartLists::renumber(std::span<const uint32_t> numbers, ThreadPool& pool) {
  pool.for_chunks(tables(), 1, [&](size_t begin, size_t end, unsigned) {
    for (size_t table = begin; table < end; ++table) {
      size_t kept = 0;
      for (const ShortKeyId& entry : lists_[table]) {
        const uint32_t number = numbers[entry.id];
        lists_[table][kept] = {entry.key, number};
        kept += number != no_number;
      }
      lists_[table].resize(kept);
    }
  });
}

}  // namespace kith::cluster
