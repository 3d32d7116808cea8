#include "cluster/part_lists.h"

#include "pairs/bucket_split.h"

namespace kith::cluster {

void PartLists::fill(const OrderedRows& rows, std::span<const size_t> positions, uint32_t first,
                     ThreadPool& pool, const std::function<void(size_t i, const Row& row)>& visit) {
  constexpr size_t grain = 256;
  constexpr size_t ahead = 8;
  const uint32_t tables = buckets_.tables.params().tables;
  workers_.resize(pool.size());
  for (Lists& lists : workers_) {
    lists.resize(tables);
    for (std::vector<ShortKeyId>& list : lists) list.clear();
  }
  pool.for_chunks(positions.size(), grain, [&](size_t begin, size_t end, unsigned worker) {
    Lists& lists = workers_[worker];
    for (size_t i = begin; i < end; ++i) {
      if (i + ahead < end) {
        const size_t next = positions[i + ahead];
        buckets_.shared.prefetch(rows.order()[next]);
        rows.prefetch_signature(next);
      }
      const Row row = rows[positions[i]];
      buckets_.shared.for_each(row.id, 0, tables, [&](uint32_t table) {
        const uint64_t part = buckets_.part(table, row.id, row.signature);
        lists[table].push_back({pairs::bucket_key(part), first + static_cast<uint32_t>(i)});
      });
      if (visit) visit(i, row);
    }
  });
}

std::span<const ShortKeyId> PartLists::sorted(uint32_t table, Scratch& scratch) const {
  scratch.entries.clear();
  for (const Lists& lists : workers_) {
    scratch.entries.insert(scratch.entries.end(), lists[table].begin(), lists[table].end());
  }
  if (scratch.sorting.size() < scratch.entries.size()) {
    scratch.sorting.resize(scratch.entries.size());
  }
  radix_sort(scratch.entries, scratch.sorting);
  return scratch.entries;
}

}  // namespace kith::cluster
