// The paper's MH-signatures on the disk (the paper, sections 3.2 and 3.3): the minima by lane, for
// the rounds that read three lanes each, and their low bytes by URL, for the filter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kith/status.h"

#include "base/parallel/radix_sort.h"
#include "base/parallel/thread_pool.h"
#include "jobs/paper/signature.h"
#include "sketch/bag.h"
#include "storage/file_system.h"

namespace kith::jobs {

inline constexpr uint32_t paper_per_key = 3;  // k
using PaperLanes = std::array<uint16_t, paper_per_key>;

// The rows of the bags that have a signature. Row numbers ascend with ids. Thread-safe.
class PaperSignatureFile {
 public:
  // Sketches the bags of `ids` (ascending), but for those of which rounding leaves nothing, into
  // the files SCRATCH.minima and SCRATCH.bytes, 320 bytes per row, which the caller removes.
  // Memory: 18 MB, and 4 bytes per row.
  static Result<PaperSignatureFile> create(storage::FileSystem& fs, const std::string& scratch,
                                           const sketch::BagCollection& bags,
                                           std::span<const uint32_t> ids, uint64_t seed,
                                           ThreadPool& pool);

  size_t size() const { return ids_.size(); }
  uint32_t id(size_t row) const { return ids_[row]; }

  // Gives (key of the three minima, row) for all rows, in pieces, on the calling thread. Rows with
  // equal minima have equal keys; others too, with a chance of 2^-64.
  Status keys(const PaperLanes& lanes,
              const std::function<Status(std::span<const KeyId>)>& take) const;

  // Reads the low bytes of the rows from `first` on, paper_lanes each.
  // REQUIRES: bytes.size() is a multiple of paper_lanes, and there are so many rows.
  Status low_bytes(size_t first, std::span<uint8_t> bytes) const;
  // The file of the low bytes, row after row.
  std::string low_bytes_path() const { return path_ + ".bytes"; }

 private:
  PaperSignatureFile() = default;

  std::string path_;
  std::vector<uint32_t> ids_;
  std::unique_ptr<storage::ReadableFile> minima_;
  std::unique_ptr<storage::ReadableFile> bytes_;
};

}  // namespace kith::jobs
