// The signatures of some ids, side by side in memory. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/large_array.h"
#include "base/prefetch.h"
#include "parallel/thread_pool.h"
#include "sketch/signature.h"
#include "tables/signature_rows.h"

namespace kith::pairs::internal {

// Every row has its low bytes before its high bytes: comparisons read the first half, and the
// second only of the pairs that pass.
class BlockRows final : public SignatureRows {
 public:
  // ids: ascending. What was read of the signatures is released. Memory: 2 bytes per lane and id.
  BlockRows(const Signatures& signatures, std::vector<uint32_t> ids, ThreadPool& pool);
  // Rows of two collections, the second behind the first, with ids that are larger by `offset`.
  // REQUIRES: signatures of the same number of lanes.
  BlockRows(const Signatures& first, std::span<const uint32_t> first_ids, const Signatures& second,
            std::span<const uint32_t> second_ids, uint32_t offset, ThreadPool& pool);

  size_t size() const override { return ids_.size(); }
  uint32_t lanes() const override { return lanes_; }
  uint32_t id(size_t row) const override { return ids_[row]; }
  const uint8_t* low(size_t row) const { return bytes_.data() + row * 2 * lanes_; }
  const uint8_t* high(size_t row) const { return low(row) + lanes_; }

  uint16_t value(size_t row, uint32_t lane) const override {
    return static_cast<uint16_t>(low(row)[lane] | high(row)[lane] << 8);
  }
  std::span<const uint16_t> values(size_t row, std::span<uint16_t> buffer) const override;
  void prefetch(size_t row) const override {
    kith::prefetch(std::span(low(row), size_t{2} * lanes_));
  }
  // Nothing: the rows stay as long as this object.
  void release(size_t, size_t) const override {}

 private:
  // Copies the signatures of `ids` to the rows from `row` on.
  void fill(size_t row, const Signatures& signatures, std::span<const uint32_t> ids,
            ThreadPool& pool);

  std::vector<uint32_t> ids_;
  uint32_t lanes_;
  LargeArray<uint8_t> bytes_;
};

// The ids of a block and, if it is joined with another and not with itself, those of the other.
std::vector<uint32_t> joined_ids(std::span<const uint32_t> block, std::span<const uint32_t> other,
                                 bool across);

}  // namespace kith::pairs::internal
