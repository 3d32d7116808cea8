// The one-byte signatures of paper mode as rows that large buckets are divided by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "kith/status.h"

#include "jobs/paper/signature_file.h"
#include "similar/tables/signature_rows.h"
#include "storage/file_system.h"

namespace kith::jobs {

// Views of the low bytes where they lie on the disk. The values are bytes, so two of 256 different
// ones are equal by chance.
class PaperRows final : public similar::SignatureRows {
 public:
  // The signatures outlive the rows.
  static Result<std::unique_ptr<PaperRows>> open(storage::FileSystem& fs,
                                                 const PaperSignatureFile& signatures);

  size_t size() const override { return signatures_.size(); }
  uint32_t lanes() const override { return paper_lanes; }
  uint32_t id(size_t row) const override { return signatures_.id(row); }
  uint16_t value(size_t row, uint32_t lane) const override;
  std::span<const uint16_t> values(size_t row, std::span<uint16_t> buffer) const override;
  std::span<const uint16_t> read(size_t row, std::span<uint16_t> buffer) const override;
  void prefetch(size_t) const override {}
  void release(size_t begin, size_t end) const override;

 private:
  PaperRows(const PaperSignatureFile& signatures, std::unique_ptr<storage::MappedFile> file)
      : signatures_(signatures), file_(std::move(file)) {}
  Bytes row_bytes(size_t row) const;

  const PaperSignatureFile& signatures_;
  std::unique_ptr<storage::MappedFile> file_;
};

}  // namespace kith::jobs
