// The paper's pair filter (section 3.3): a candidate pair survives when 16 of the 80 one-byte
// values of its signatures are equal, an estimated similarity of 20 %. When the one-byte
// signatures exceed the memory, the pairs go to the disk and are filtered in several passes, each
// with the signatures of two blocks of URLs in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "jobs/paper/signature_file.h"
#include "sketch/signature.h"
#include "storage/external_sort.h"

namespace kith::jobs {

inline constexpr uint32_t paper_min_equal = 16;

struct PaperFilterOptions {
  std::string scratch;                    // prefix of the files of the passes
  uint64_t memory = uint64_t{256} << 20;  // bytes; at least a few rows and blocks are used
  size_t block = size_t{256} << 10;       // bytes: see storage::ExternalSortOptions
};

// Not thread-safe.
class PaperFilter {
 public:
  // Gets the rows of a survivor and how many of its one-byte values are equal.
  using Sink = std::function<Status(uint32_t row_a, uint32_t row_b, uint32_t equal)>;

  // The file and the pool outlive the filter.
  static Result<PaperFilter> create(storage::FileSystem& fs, const PaperSignatureFile& signatures,
                                    PaperFilterOptions options, ThreadPool& pool, Sink sink);

  // Takes a candidate pair of rows, a < b. Survivors reach the sink now or at the end of the round.
  Status add(uint32_t row_a, uint32_t row_b);
  // Filters all pairs that were added since the last call.
  Status end_round();

  uint64_t candidates() const { return candidates_; }
  // How many blocks of URLs the signatures were cut into: b blocks are (b + 1) b / 2 passes.
  size_t blocks() const { return blocks_; }
  // Seconds spent inside the filter.
  double seconds() const { return seconds_; }

 private:
  struct Candidate {
    uint32_t a;
    uint32_t b;
  };
  // The one-byte signatures of a range of rows.
  struct Plane {
    size_t first = 0;
    std::vector<uint8_t> bytes;
    const uint8_t* row(uint32_t row) const { return &bytes[(row - first) * paper_lanes]; }
  };

  PaperFilter(storage::FileSystem& fs, const PaperSignatureFile& signatures,
              PaperFilterOptions options, ThreadPool& pool, Sink sink);
  Status load(size_t block, Plane& plane) const;
  Status test_pending(const Plane& left, const Plane& right);
  Status defer(Candidate candidate);
  Status run_passes();

  storage::FileSystem* fs_;
  const PaperSignatureFile* signatures_;
  PaperFilterOptions options_;
  ThreadPool* pool_;
  Sink sink_;
  size_t block_rows_ = 0;
  size_t blocks_ = 0;
  Plane left_;
  Plane right_;
  std::vector<Candidate> pending_;
  std::vector<uint8_t> equal_;                       // of the pending ones
  std::unique_ptr<storage::ExternalSort> deferred_;  // by the pass that they need
  uint64_t candidates_ = 0;
  double seconds_ = 0;
};

}  // namespace kith::jobs
