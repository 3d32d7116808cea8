// Signatures of some ids, wherever they lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/memory.h"
#include "base/parallel/thread_pool.h"
#include "sketch/signature.h"

namespace kith::similar {

// Row i is the signature of the i-th of some ascending ids. Immutable, thread-safe.
class SignatureRows {
 public:
  virtual ~SignatureRows() = default;

  virtual size_t size() const = 0;
  virtual uint32_t lanes() const = 0;
  virtual uint32_t id(size_t row) const = 0;
  virtual uint16_t value(size_t row, uint32_t lane) const = 0;
  // All values of a row: a view of them where they lie side by side, else of their copy in
  // `buffer`, which has room for lanes() values.
  virtual std::span<const uint16_t> values(size_t row, std::span<uint16_t> buffer) const = 0;
  // The same of rows that lie anywhere: without the resident set growing (Signatures::read()).
  virtual std::span<const uint16_t> read(size_t row, std::span<uint16_t> buffer) const {
    return values(row, buffer);
  }
  // Has no effect but that the row may be read faster.
  virtual void prefetch(size_t row) const = 0;
  // The rows [begin, end) will not be read for a while: see Mapping::release().
  virtual void release(size_t begin, size_t end) const = 0;
};

// Views of signatures that lie in a file. The arguments must outlive it.
class MappedRows final : public SignatureRows {
 public:
  MappedRows(const sketch::Signatures& signatures, std::span<const uint32_t> ids)
      : signatures_(signatures), ids_(ids) {}

  size_t size() const override { return ids_.size(); }
  uint32_t lanes() const override { return signatures_.lanes(); }
  uint32_t id(size_t row) const override { return ids_[row]; }
  uint16_t value(size_t row, uint32_t lane) const override { return signatures_[ids_[row]][lane]; }
  std::span<const uint16_t> values(size_t row, std::span<uint16_t>) const override {
    return signatures_[ids_[row]];
  }
  std::span<const uint16_t> read(size_t row, std::span<uint16_t> buffer) const override {
    return signatures_.read(ids_[row], buffer);
  }
  void prefetch(size_t row) const override { kith::prefetch(signatures_[ids_[row]]); }
  void release(size_t begin, size_t end) const override {
    if (begin < end) signatures_.release(ids_[begin], size_t{ids_[end - 1]} + 1);
  }

 private:
  const sketch::Signatures& signatures_;
  const std::span<const uint32_t> ids_;
};

// The low bytes of signatures by id, for comparisons of ids that lie anywhere. Internal to this
// folder.

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

// The signatures of some ids, side by side in memory.

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
