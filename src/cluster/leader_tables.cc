#include "cluster/leader_tables.h"

#include <algorithm>

#include "base/check.h"

namespace kith::cluster {

void LeaderTables::clear() {
  for (Table& table : tables_) {
    table.old.clear();
    table.recent.clear();
  }
}

void LeaderTables::merge(uint32_t table, std::span<const ShortKeyId> sorted, uint32_t first) {
  Table& lists = tables_[table];
  lists.recent.merge(sorted, first);
  if (lists.recent.entries.size() * recent_share >= lists.old.entries.size()) lists.settle();
}

std::span<const ShortKeyId> LeaderTables::entries(uint32_t table) {
  tables_[table].settle();
  return tables_[table].old.entries;
}

void LeaderTables::Table::settle() {
  old.merge(recent.entries, 0);
  recent.clear();
}

void LeaderTables::List::clear() {
  entries.clear();
  cells.clear();
}

void LeaderTables::List::merge(std::span<const ShortKeyId> sorted, uint32_t first) {
  if (sorted.empty()) return;
  // From the back, so that the old entries move in place.
  size_t before = entries.size();
  size_t added = sorted.size();
  entries.grow(added);
  const std::span<ShortKeyId> all = entries.span();
  KITH_CHECK(all.size() < UINT32_MAX);
  for (size_t to = all.size(); added > 0;) {
    if (before > 0 && all[before - 1].key > sorted[added - 1].key) {
      all[--to] = all[--before];
    } else {
      --added;
      all[--to] = {sorted[added].key, first + sorted[added].id};
    }
  }

  const auto bits = static_cast<unsigned>(std::bit_width(all.size() / cell_entries));
  shift = 32 - bits;
  cells.resize(size_t{1} << bits);
  size_t next = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    const uint64_t cell = uint64_t{all[i].key} >> shift;
    while (next <= cell) cells[next++] = static_cast<uint32_t>(i);
  }
  while (next < cells.size()) cells[next++] = static_cast<uint32_t>(all.size());
}

}  // namespace kith::cluster
