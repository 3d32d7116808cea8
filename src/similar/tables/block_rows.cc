#include "similar/tables/block_rows.h"

#include "sketch/signature.h"

namespace kith::similar {

LowRows::LowRows(const sketch::Signatures& signatures, bool in_memory, ThreadPool& pool)
    : signatures_(signatures) {
  if (!in_memory) return;
  constexpr size_t chunk = 1 << 12;
  bytes_ = LargeArray<uint8_t>(signatures.size() * lanes());
  pool.for_chunks(signatures.size(), chunk, [&](size_t begin, size_t end, unsigned) {
    for (size_t id = begin; id < end; ++id) {
      sketch::low_bytes(signatures_[id], bytes_.span().subspan(id * lanes(), lanes()));
    }
    signatures_.release(begin, end);
  });
}

const uint8_t* LowRows::read(uint32_t id, LowRowBuffer& buffer) const {
  if (in_memory()) return bytes_.data() + size_t{id} * lanes();
  buffer.values.resize(lanes());
  buffer.bytes.resize(lanes());
  sketch::low_bytes(signatures_.read(id, buffer.values), buffer.bytes);
  return buffer.bytes.data();
}

BlockRows::BlockRows(const SignatureRows& rows, RowRange first, RowRange second, ThreadPool& pool)
    : ids_(first.size() + second.size()), lanes_(rows.lanes()), bytes_(ids_.size() * 2 * lanes_) {
  fill(0, rows, first, pool);
  fill(first.size(), rows, second, pool);
}

void BlockRows::fill(size_t row, const SignatureRows& rows, RowRange range, ThreadPool& pool) {
  constexpr size_t grain = 1 << 10;
  pool.for_chunks(range.size(), grain, [&](size_t begin, size_t end, unsigned) {
    std::vector<uint16_t> buffer(lanes_);
    for (size_t i = begin; i < end; ++i) {
      const std::span<const uint16_t> values = rows.values(range.begin + i, buffer);
      uint8_t* const bytes = bytes_.data() + (row + i) * 2 * lanes_;
      sketch::low_bytes(values, {bytes, lanes_});
      sketch::high_bytes(values, {bytes + lanes_, lanes_});
      ids_[row + i] = rows.id(range.begin + i);
    }
    rows.release(range.begin + begin, range.begin + end);
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

}  // namespace kith::similar
