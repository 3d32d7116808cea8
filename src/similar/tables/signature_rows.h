// Signatures of some ids, wherever they lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/prefetch.h"
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

}  // namespace kith::similar
