// The signatures of some ids, side by side in memory. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/large_array.h"
#include "base/parallel/thread_pool.h"
#include "base/prefetch.h"
#include "similar/tables/signature_rows.h"

namespace kith::similar {

// Rows [begin, end) of some SignatureRows.
struct RowRange {
  size_t begin = 0;
  size_t end = 0;
  size_t size() const { return end - begin; }
};

// Every row has its low bytes before its high bytes: comparisons read the first half, and the
// second only of the pairs that pass.
class BlockRows final : public SignatureRows {
 public:
  // Copies of the rows of a range and, behind them, of a later one, which may be empty. What was
  // read of `rows` is released. Memory: 2 bytes per lane and 4 for every row.
  BlockRows(const SignatureRows& rows, RowRange first, RowRange second, ThreadPool& pool);

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
  // Copies a range of `rows` to the rows from `row` on.
  void fill(size_t row, const SignatureRows& rows, RowRange range, ThreadPool& pool);

  std::vector<uint32_t> ids_;
  uint32_t lanes_;
  LargeArray<uint8_t> bytes_;
};

}  // namespace kith::similar
