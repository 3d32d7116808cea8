#include "lsh/growing_tables.h"

#include <algorithm>
#include <array>

#include "base/reserve_more.h"

namespace kith::lsh {

void GrowingTables::reserve(size_t more) {
  for (size_t table = 0; table < older_.size(); ++table) {
    reserve_more(older_[table], more);
    auto& newest = newest_[table];
    if (newest.size() + more > newest.max_load()) {
      newest.reserve(std::max(newest.size() + more, 2 * newest.size()));
    }
  }
}

void GrowingTables::add(std::span<const uint16_t> signature, bool is_listed) {
  const uint32_t id = size();
  std::array<uint64_t, tables_limit> room;
  const std::span<uint64_t> keys = std::span(room).first(params().tables);
  tables_.keys(signature, keys);
  for (uint32_t table = 0; table < params().tables; ++table) {
    uint32_t older = nobody;
    if (is_listed) {
      const auto [place, is_new] = newest_[table].try_emplace(keys[table], id);
      if (!is_new) older = place->second;
      place->second = id;
    }
    older_[table].push_back(older);
  }
}

void GrowingTables::find(std::span<const uint16_t> signature, uint32_t end,
                         std::vector<uint32_t>& ids) const {
  ids.clear();
  std::vector<uint64_t> keys(params().tables);
  tables_.keys(signature, keys);
  for (uint32_t table = 0; table < params().tables; ++table) {
    const auto place = newest_[table].find(keys[table]);
    if (place == newest_[table].end()) continue;
    for (uint32_t id = place->second; id != nobody; id = older_[table][id]) {
      if (id < end) ids.push_back(id);
    }
  }
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

uint64_t GrowingTables::bytes() const {
  uint64_t bytes = 0;
  for (size_t table = 0; table < older_.size(); ++table) {
    // A table of hashes has a byte of its own for each place.
    bytes += newest_[table].bucket_count() * (sizeof(std::pair<uint64_t, uint32_t>) + 1) +
             older_[table].capacity() * sizeof(uint32_t);
  }
  return bytes;
}

}  // namespace kith::lsh
