#include "cluster/leader/tables.h"

#include <algorithm>

#include "base/check.h"

namespace kith::cluster {

LeaderTables::LeaderTables(std::span<const uint64_t> keys) {
  lists_.reserve(keys.size());
  for (const uint64_t below : keys) lists_.emplace_back(below);
}

void LeaderTables::clear() {
  for (List& list : lists_) list.clear();
}

LeaderTables::List::List(uint64_t keys) : begins_(cells_of(keys) + 1) {
  tags_.grow(word);
}

void LeaderTables::List::reserve(size_t entries) {
  tags_.reserve(entries + word);
  ids_.reserve(entries);
}

void LeaderTables::List::clear() {
  std::ranges::fill(begins_.span(), 0);
  tags_.clear();
  tags_.grow(word);
  ids_.clear();
}

void LeaderTables::List::merge(std::span<const ShortKeyId> sorted) {
  size_t moved = ids_.size();  // the entries from here on have their new places
  size_t added = sorted.size();
  KITH_CHECK(moved + added < UINT32_MAX);
  tags_.grow(added);
  ids_.grow(added);
  uint8_t* const tags = tags_.span().data();
  uint32_t* const ids = ids_.span().data();
  // From the back, so that entries move in place: a cell's new ones go behind its old ones. The
  // cells that begin behind `last` have been shifted.
  for (size_t last = begins_.size() - 1; added > 0;) {
    const size_t cell = cell_of(sorted[added - 1].key);
    const size_t old_end = begins_[cell + 1];
    std::memmove(tags + old_end + added, tags + old_end, moved - old_end);
    std::memmove(ids + old_end + added, ids + old_end, (moved - old_end) * sizeof(uint32_t));
    for (size_t i = cell + 1; i <= last; ++i) begins_[i] += static_cast<uint32_t>(added);
    moved = old_end;
    last = cell;
    for (; added > 0 && cell_of(sorted[added - 1].key) == cell; --added) {
      tags[old_end + added - 1] = static_cast<uint8_t>(sorted[added - 1].key);
      ids[old_end + added - 1] = sorted[added - 1].id;
    }
  }
}

}  // namespace kith::cluster
