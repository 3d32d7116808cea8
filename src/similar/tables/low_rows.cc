#include "similar/tables/low_rows.h"

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

}  // namespace kith::similar
