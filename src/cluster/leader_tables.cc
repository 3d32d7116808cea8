#include "cluster/leader_tables.h"

#include <algorithm>

#include "base/check.h"

namespace kith::cluster {

void LeaderTables::clear() {
  for (Table& table : tables_) {
    table.entries.clear();
    table.cells.clear();
  }
}

void LeaderTables::merge(uint32_t table, std::span<const ShortKeyId> sorted, uint32_t first) {
  if (sorted.empty()) return;
  Table& list = tables_[table];
  // From the back, so that the old entries move in place.
  size_t old = list.entries.size();
  size_t added = sorted.size();
  list.entries.grow(added);
  const std::span<ShortKeyId> entries = list.entries.span();
  KITH_CHECK(entries.size() < UINT32_MAX);
  for (size_t to = entries.size(); added > 0;) {
    const bool from_old = old > 0 && entries[old - 1].key > sorted[added - 1].key;
    if (from_old) {
      entries[--to] = entries[--old];
    } else {
      --added;
      entries[--to] = {sorted[added].key, first + sorted[added].id};
    }
  }

  const auto bits = static_cast<unsigned>(std::bit_width(entries.size() / cell_entries));
  list.shift = 32 - bits;
  list.cells.resize(size_t{1} << bits);
  size_t next = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    const uint64_t cell = uint64_t{entries[i].key} >> list.shift;
    while (next <= cell) list.cells[next++] = static_cast<uint32_t>(i);
  }
  while (next < list.cells.size()) list.cells[next++] = static_cast<uint32_t>(entries.size());
}

}  // namespace kith::cluster
