#include "sketch/lsh/growing_tables.h"

#include <algorithm>
#include <array>

#include "base/reserve_more.h"

namespace kith::sketch {

void GrowingTables::reserve(size_t more) {
  for (TagTable& newest : newest_) newest.reserve(more);
  const size_t chunks = (size_t{size_} + more + ids_per_chunk - 1) / ids_per_chunk;
  reserve_more(older_, std::max(chunks, older_.size()) - older_.size());
  while (older_.size() < chunks) {
    older_.push_back(
        std::make_unique_for_overwrite<uint32_t[]>(size_t{ids_per_chunk} * params().tables));
  }
}

void GrowingTables::add(std::span<const uint16_t> signature, bool is_listed) {
  reserve(1);
  std::array<uint64_t, tables_limit> room;
  const std::span<uint64_t> keys = std::span(room).first(params().tables);
  tables_.keys(signature, keys);
  const std::span<uint32_t> older_ones = older(size_);
  for (uint32_t table = 0; table < params().tables; ++table) {
    older_ones[table] =
        is_listed ? newest_[table].replace(keys[table], size_).value_or(nobody) : nobody;
  }
  ++size_;
}

void GrowingTables::find(std::span<const uint16_t> signature, uint32_t end,
                         std::vector<uint32_t>& ids) const {
  ids.clear();
  std::array<uint64_t, tables_limit> room;
  const std::span<uint64_t> keys = std::span(room).first(params().tables);
  tables_.keys(signature, keys);
  for (uint32_t table = 0; table < params().tables; ++table) newest_[table].prefetch(keys[table]);
  for (uint32_t table = 0; table < params().tables; ++table) {
    std::optional<uint32_t> id = newest_[table].find(keys[table], [](uint32_t) { return true; });
    for (uint32_t at = id.value_or(nobody); at != nobody; at = older(at, table)) {
      if (at < end) ids.push_back(at);
    }
  }
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

uint64_t GrowingTables::bytes() const {
  uint64_t bytes = older_.size() * ids_per_chunk * params().tables * sizeof(uint32_t);
  for (const TagTable& newest : newest_) bytes += newest.bytes();
  return bytes;
}

}  // namespace kith::sketch
