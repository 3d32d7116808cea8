#include "sketch/lsh/bounded_tables.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/hash.h"

namespace kith::sketch {

BoundedTables::BoundedTables(const TableParams& params, uint32_t max_bucket)
    : tables_(params), max_bucket_(max_bucket) {
  for (std::vector<TagTable>& level : newest_) level.resize(params.tables);
}

// A key of twice as many lanes is that of a table and of the next one.
BoundedTables::Keys BoundedTables::keys_of(std::span<const uint16_t> signature,
                                           std::array<uint64_t, keys_limit>& room) const {
  const uint32_t tables = params().tables;
  Keys keys;
  for (uint32_t level = 0; level < levels; ++level) {
    keys[level] = std::span(room).subspan(size_t{level} * tables, tables);
  }
  tables_.keys(signature, keys[0]);
  for (uint32_t level = 1; level < levels; ++level) {
    const uint32_t step = 1u << (level - 1);
    for (uint32_t table = 0; table < tables; ++table) {
      keys[level][table] =
          mix64(keys[level - 1][table] ^ mix64(keys[level - 1][(table + step) % tables]));
    }
  }
  return keys;
}

uint64_t BoundedTables::whole_key(std::span<const uint16_t> signature) {
  return hash64(as_text(std::as_bytes(signature)));
}

uint32_t BoundedTables::newest(uint32_t level, uint32_t table, const Keys& keys) const {
  return newest_[level][table]
      .find(keys[level][table], [](uint32_t) { return true; })
      .value_or(nobody);
}

void BoundedTables::add(std::span<const uint16_t> signature) {
  if (size_ % ids_per_chunk == 0) {
    const size_t places = size_t{ids_per_chunk} * params().tables;
    chunks_.push_back({std::make_unique_for_overwrite<uint32_t[]>(places),
                       std::make_unique_for_overwrite<uint8_t[]>(places)});
  }
  std::array<uint64_t, keys_limit> room;
  const Keys keys = keys_of(signature, room);
  Chunk& chunk = chunks_.back();
  for (uint32_t table = 0; table < params().tables; ++table) {
    for (uint32_t level = 0; level < levels; ++level) {
      const uint32_t before = newest(level, table, keys);
      const uint32_t own_rank = before == nobody ? 0 : rank(before, table) + 1;
      if (own_rank >= max_bucket_ && level + 1 < levels) continue;
      newest_[level][table].replace(keys[level][table], size_);
      chunk.older[place(size_, table)] = before;
      chunk.rank[place(size_, table)] = static_cast<uint8_t>(std::min(own_rank, 255u));
      break;
    }
  }
  whole_.replace(whole_key(signature), size_);
  ++size_;
}

void BoundedTables::find(std::span<const uint16_t> signature, size_t max,
                         std::vector<uint32_t>& ids) const {
  ids.clear();
  std::array<uint64_t, keys_limit> room;
  const Keys keys = keys_of(signature, room);
  for (uint32_t table = 0; table < params().tables; ++table) {
    newest_[0][table].prefetch(keys[0][table]);
  }
  for (uint32_t table = 0; table < params().tables; ++table) {
    for (uint32_t level = 0; level < levels; ++level) {
      uint32_t at = newest(level, table, keys);
      const bool is_full = at != nobody && rank(at, table) + 1 >= max_bucket_;
      for (uint32_t left = max_bucket_; at != nobody && left > 0; --left) {
        ids.push_back(at);
        at = older(at, table);
      }
      if (!is_full) break;
    }
  }
  std::ranges::sort(ids);
  // Behind the ids that are there once: how often they were.
  std::vector<std::pair<uint32_t, uint32_t>> shared;
  for (const uint32_t id : ids) {
    if (shared.empty() || shared.back().second != id) shared.emplace_back(0, id);
    --shared.back().first;
  }
  const auto whole = whole_.find(whole_key(signature), [](uint32_t) { return true; });
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  if (shared.size() > max) {
    std::ranges::nth_element(shared, shared.begin() + static_cast<ptrdiff_t>(max));
    ids.clear();
    for (size_t i = 0; i < max; ++i) ids.push_back(shared[i].second);
    std::ranges::sort(ids);
  }
  if (whole && !std::ranges::binary_search(ids, *whole)) {
    ids.insert(std::ranges::lower_bound(ids, *whole), *whole);
  }
}

uint64_t BoundedTables::bytes() const {
  constexpr uint64_t entry_bytes = sizeof(uint32_t) + sizeof(uint8_t);
  uint64_t bytes = whole_.bytes() + chunks_.size() * ids_per_chunk * params().tables * entry_bytes;
  for (const std::vector<TagTable>& level : newest_) {
    for (const TagTable& newest : level) bytes += newest.bytes();
  }
  return bytes;
}

}  // namespace kith::sketch
