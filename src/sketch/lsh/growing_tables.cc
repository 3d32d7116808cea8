#include "sketch/lsh/growing_tables.h"

#include <algorithm>
#include <array>
#include <utility>

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

}  // namespace kith::sketch
