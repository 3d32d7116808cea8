#include "sketch/lsh/chained_tables.h"

#include <algorithm>
#include <utility>

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

}  // namespace kith::sketch
