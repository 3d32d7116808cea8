// Documents that a caller gives, as the rooms take them. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kith/table_join.h"

#include "similar/tables/signature_rows.h"
#include "sketch/signature.h"

namespace kith::distributed {

// Documents with signatures side by side. Both must outlive it.
class GivenRows final : public similar::SignatureRows {
 public:
  GivenRows(DocumentView documents, SignatureView signatures, uint32_t lanes)
      : documents_(documents), signatures_(signatures, lanes) {}

  size_t size() const override { return documents_.size(); }
  uint32_t lanes() const override { return signatures_.lanes(); }
  uint32_t id(size_t row) const override { return documents_[row]; }
  uint16_t value(size_t row, uint32_t lane) const override { return signatures_[row][lane]; }
  std::span<const uint16_t> values(size_t row, std::span<uint16_t>) const override {
    return signatures_[row];
  }
  void prefetch(size_t row) const override { kith::prefetch(signatures_[row]); }
  void release(size_t, size_t) const override {}

 private:
  const DocumentView documents_;
  const sketch::Signatures signatures_;
};

}  // namespace kith::distributed
