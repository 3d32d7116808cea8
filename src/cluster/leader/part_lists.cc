#include "cluster/leader/part_lists.h"

#include <algorithm>
#include <vector>

#include "cluster/leader/rows.h"
#include "similar/tables/bucket_split.h"

namespace kith::cluster {

void PartLists::fill(const OrderedRows& rows, std::span<const size_t> positions, ThreadPool& pool,
                     const std::function<void(size_t i, const Row& row)>& visit) {
  constexpr size_t ahead = 8;
  parts_.clear();
  parts_.grow((positions.size() + block - 1) / block * tables() * block);
  pool.for_chunks(positions.size(), block, [&](size_t begin, size_t end, unsigned) {
    const std::span<uint32_t> parts = parts_of_block(begin / block);
    std::ranges::fill(parts, no_part);
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
        parts[table * block + i - begin] = buckets_.short_part(table, similar::bucket_key(part));
      });
      visit(i, row);
    }
  });
  lists_.resize(tables());
  std::vector<std::vector<ShortKeyId>> scratch(pool.size());
  pool.for_chunks(tables(), 1, [&](size_t begin, size_t end, unsigned worker) {
    for (auto table = static_cast<uint32_t>(begin); table < end; ++table) {
      make_list(table, positions.size(), scratch[worker]);
    }
  });
}

void PartLists::make_list(uint32_t table, size_t rows, std::vector<ShortKeyId>& scratch) {
  if (scratch.size() < rows) scratch.resize(rows);
  size_t size = 0;
  for (size_t begin = 0; begin < rows; begin += block) {
    const auto parts = parts_of_block(begin / block).subspan(table * block);
    const size_t end = std::min(begin + block, rows);
    for (size_t i = begin; i < end; ++i) {
      const uint32_t part = parts[i - begin];
      scratch[size] = {part, static_cast<uint32_t>(i)};
      size += part != no_part;
    }
  }
  std::vector<ShortKeyId>& list = lists_[table];
  list.assign(scratch.begin(), scratch.begin() + static_cast<ptrdiff_t>(size));
  radix_sort(list, scratch);
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
