// The buckets of the paper's rounds, and the rows that large ones are divided by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kith/status.h"

#include "jobs/paper/signature_file.h"
#include "similar/tables/block_rows.h"
#include "similar/tables/bucket_scan.h"
#include "sketch/lsh/tables.h"
#include "storage/external_sort.h"
#include "storage/file_system.h"

namespace kith::jobs {

// The one-byte signatures of the paper as rows that large buckets are divided by.

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

// The pairs of a round of `kith paper`, bucket by bucket (the paper, section 3.3), where large
// buckets are not compared whole: docs/algorithms/paper.md, "Departures".

// Buckets within the minimum bound are enumerated as they come. The others wait until all sizes,
// and so the bound of the round (raised_bound()), are known; those that are over it are divided by
// BucketSplits, and the pairs of each part are enumerated. Not thread-safe.
class PaperBuckets {
 public:
  // The pairs go to the filter. The arguments outlive the object. largest: the minimum bound, at
  // least 2.
  PaperBuckets(storage::FileSystem& fs, const PaperSignatureFile& signatures,
               const sketch::Tables& tables, size_t largest, PaperFilter& filter);

  // Takes the sorted keys of a round, once. Memory: 8 bytes for each row of a bucket over the
  // minimum bound, until the end of the round.
  Status add(storage::SortedRecords& keys);
  // Gives the pairs of the buckets that wait. Memory: 50 bytes for each row of the largest of them
  // that is divided.
  Status end_round(uint32_t round);

  // Of all rounds so far.
  const similar::SplitStats& splits() const { return splits_; }

 private:
  Status end_bucket(uint64_t key);
  Status divide(uint32_t round, size_t bound);
  Status add_pairs(std::span<const uint32_t> rows);

  storage::FileSystem& fs_;
  const PaperSignatureFile& signatures_;
  const sketch::Tables& tables_;
  const size_t largest_;
  PaperFilter& filter_;
  std::vector<uint32_t> bucket_;             // rows of the key at hand
  similar::BucketSizes sizes_;               // of the round
  std::vector<similar::LargeBucket> large_;  // that wait
  similar::SplitStats splits_;
};

}  // namespace kith::jobs
