// The low bytes of signatures by id, for comparisons of ids that lie anywhere. Internal to this
// folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/large_array.h"
#include "base/parallel/thread_pool.h"
#include "base/prefetch.h"
#include "sketch/signature.h"

namespace kith::similar {

// A row of a LowRows that does not lie in memory. One for each row that is in use at a time.
struct LowRowBuffer {
  std::vector<uint16_t> values;
  std::vector<uint8_t> bytes;
};

// Immutable, thread-safe.
class LowRows {
 public:
  // in_memory: as a copy of one byte per lane and id; else each row is read when it is asked for.
  // The signatures must outlive it; what was read of them is released.
  LowRows(const sketch::Signatures& signatures, bool in_memory, ThreadPool& pool);

  uint32_t lanes() const { return signatures_.lanes(); }
  bool in_memory() const { return bytes_.size() > 0; }
  // Has no effect but that the row may be read faster.
  void prefetch(uint32_t id) const {
    if (in_memory()) kith::prefetch(bytes_.span().subspan(size_t{id} * lanes(), lanes()));
  }
  // lanes() bytes, valid until the next call with the same buffer.
  const uint8_t* read(uint32_t id, LowRowBuffer& buffer) const;

 private:
  const sketch::Signatures& signatures_;
  LargeArray<uint8_t> bytes_;
};

}  // namespace kith::similar
