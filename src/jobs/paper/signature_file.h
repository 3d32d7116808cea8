// The signatures of the paper in a file, and the filter by their low bytes.
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

#include "base/budget.h"
#include "base/parallel/radix_sort.h"
#include "base/parallel/thread_pool.h"
#include "sketch/bag.h"
#include "sketch/signature.h"
#include "storage/external_sort.h"
#include "storage/file_system.h"

namespace kith::jobs {

// The MH-signature as the paper makes it (section 3.2): integer weights, linear hash functions
// on word ids, 80 minima of which 3 bytes are kept. Slower and less exact than Sketcher
// (sketch/signature.h), it is here as the measure for it; docs/algorithms/paper.md. Pure.
inline constexpr uint32_t paper_lanes = 80;       // m
inline constexpr uint32_t paper_value_bytes = 3;  // w

// The copies of a word in the multiset that a bag is flattened to: its weight, of 100, rounded
// to the next integer, halves upwards.
constexpr uint32_t paper_copies(uint32_t weight) {
  return (weight + sketch::weight_one / 2) / sketch::weight_one;
}

// Whether any word of a bag is left after rounding. Long bags of equal weights lose all.
bool has_paper_copies(sketch::Bag bag);

// Immutable and thread-safe.
class PaperSketcher {
 public:
  explicit PaperSketcher(uint64_t seed);

  // minima[i]: the low 3 bytes of the smallest (a_i x + b_i) mod (2^61 - 1) over the copies x of
  // the bag's words. REQUIRES: minima.size() == paper_lanes, has_paper_copies(bag).
  void sketch(sketch::Bag bag, std::span<uint32_t> minima) const;

 private:
  struct Linear {
    uint64_t a;
    uint64_t b;
  };
  std::array<Linear, paper_lanes> functions_;
};

// The paper's MH-signatures on the disk (the paper, sections 3.2 and 3.3): the minima by lane, for
// the rounds that read three lanes each, and their low bytes by URL, for the filter.
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

// The paper's pair filter (section 3.3): a candidate pair survives when 16 of the 80 one-byte
// values of its signatures are equal, an estimated similarity of 20 %. When the one-byte
// signatures exceed the memory, the pairs go to the disk and are filtered in several passes, each
// with the signatures of two blocks of URLs in memory.
inline constexpr uint32_t paper_min_equal = 16;

struct PaperFilterOptions {
  std::string scratch;                  // prefix of the files of the passes
  Budget memory = uint64_t{256} << 20;  // at least a few rows and blocks are used
  size_t block = size_t{256} << 10;     // bytes: see storage::ExternalSortOptions
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
