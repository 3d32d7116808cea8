#include "tables/block_rows.h"

namespace kith::pairs::internal {

BlockRows::BlockRows(const Signatures& signatures, std::vector<uint32_t> ids, ThreadPool& pool)
    : ids_(std::move(ids)), lanes_(signatures.lanes()), bytes_(ids_.size() * 2 * lanes_) {
  fill(0, signatures, ids_, pool);
}

BlockRows::BlockRows(const Signatures& first, std::span<const uint32_t> first_ids,
                     const Signatures& second, std::span<const uint32_t> second_ids,
                     uint32_t offset, ThreadPool& pool)
    : ids_(first_ids.begin(), first_ids.end()),
      lanes_(first.lanes()),
      bytes_((first_ids.size() + second_ids.size()) * 2 * lanes_) {
  ids_.reserve(first_ids.size() + second_ids.size());
  for (const uint32_t id : second_ids) ids_.push_back(offset + id);
  fill(0, first, first_ids, pool);
  fill(first_ids.size(), second, second_ids, pool);
}

void BlockRows::fill(size_t row, const Signatures& signatures, std::span<const uint32_t> ids,
                     ThreadPool& pool) {
  constexpr size_t grain = 1 << 10;
  pool.for_chunks(ids.size(), grain, [&](size_t begin, size_t end, unsigned) {
    for (size_t i = begin; i < end; ++i) {
      uint8_t* const bytes = bytes_.data() + (row + i) * 2 * lanes_;
      low_bytes(signatures[ids[i]], {bytes, lanes_});
      high_bytes(signatures[ids[i]], {bytes + lanes_, lanes_});
    }
    signatures.release(ids[begin], size_t{ids[end - 1]} + 1);
  });
}

std::span<const uint16_t> BlockRows::values(size_t row, std::span<uint16_t> buffer) const {
  const uint8_t* const low_row = low(row);
  const uint8_t* const high_row = high(row);
  for (size_t lane = 0; lane < lanes_; ++lane) {
    buffer[lane] = static_cast<uint16_t>(low_row[lane] | high_row[lane] << 8);
  }
  return buffer.first(lanes_);
}

std::vector<uint32_t> joined_ids(std::span<const uint32_t> block, std::span<const uint32_t> other,
                                 bool across) {
  std::vector<uint32_t> ids(block.begin(), block.end());
  if (across) ids.insert(ids.end(), other.begin(), other.end());
  return ids;
}

}  // namespace kith::pairs::internal
