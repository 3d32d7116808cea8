#include "sketch/lsh/growing_tables.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/hash.h"
#include "base/memory.h"

namespace kith::sketch {

ChainedTables::ChainedTables(const TableParams& params) : tables_(params) {
  cells_.reserve(cell_count_);
}

void ChainedTables::add(std::span<const uint16_t> signature) {
  std::array<uint64_t, tables_limit> room;
  const std::span<uint64_t> keys = std::span(room).first(params().tables);
  tables_.keys(signature, keys);
  // A split takes no more blocks than there were.
  blocks_.reserve(uint64_t{blocks_end_} + keys.size());
  const uint64_t entries = (uint64_t{size_} + 1) * keys.size();
  const uint64_t most_cells = uint64_t{1} << key_bits;
  const uint64_t cells = std::min(most_cells, std::max(cell_count_, entries / per_cell));
  cells_.reserve(cells);
  for (const uint64_t key : keys) __builtin_prefetch(cells_[cell_of(key)]);
  for (const uint64_t key : keys) put(cell_of(key), size_ + 1, tag_of(key));
  while (cell_count_ < cells) split_next();
  ++size_;
}

void ChainedTables::put(uint64_t cell, uint32_t taken, uint16_t tag) {
  Block& first = *cells_[cell];
  if (first.taken[per_block - 1] != 0) {
    const uint32_t block = take_block();
    *blocks_[block] = std::exchange(first, Block{});
    first.next = block + 1;
  }
  uint32_t at = 0;
  while (first.taken[at] != 0) ++at;
  first.taken[at] = taken;
  first.tags[at] = tag;
}

// The entries of the cell with one more bit of their keys go to the new cell.
void ChainedTables::split_next() {
  const uint64_t whole = std::bit_floor(cell_count_);
  const uint64_t from = cell_count_ - whole;
  const uint64_t to = cell_count_++;
  const uint64_t tag_bit = whole >> least_bits;
  Block block = std::exchange(*cells_[from], Block{});
  for (;;) {
    for (uint32_t at = 0; at < per_block && block.taken[at] != 0; ++at) {
      put((block.tags[at] & tag_bit) != 0 ? to : from, block.taken[at], block.tags[at]);
    }
    if (block.next == 0) return;
    const uint32_t next = block.next;
    block = *blocks_[next - 1];
    blocks_[next - 1]->next = std::exchange(free_, next);
  }
}

uint32_t ChainedTables::take_block() {
  if (free_ == 0) return blocks_end_++;
  const uint32_t block = free_ - 1;
  free_ = blocks_[block]->next;
  return block;
}

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
