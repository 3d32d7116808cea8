// The sketch stage: a signature for every bag (docs/formats/signatures.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "sketch/bag.h"
#include "sketch/signature.h"
#include "storage/section_file.h"

namespace kith::jobs {

inline constexpr storage::FileKind signatures_kind{"sign", 1};

// Signatures mapped from their file.
class SignatureTable {
 public:
  // An error when the file does not hold `count` signatures of `lanes` values.
  static Result<SignatureTable> open(storage::FileSystem& fs, const std::string& path,
                                     uint32_t lanes, uint64_t count);
  const sketch::Signatures& signatures() const { return signatures_; }
  Status verify() const { return file_.verify(); }
  // See BagTable::stay().
  Status stay();

 private:
  storage::SectionFile file_;
  LargeArray<uint16_t> own_values_;  // of signatures that stay
  sketch::Signatures signatures_;
};

// Sketches all bags and writes the file. Memory: a few megabytes a thread.
Status write_signatures(storage::FileSystem& fs, const std::string& path,
                        const sketch::BagCollection& bags, const sketch::SketchOptions& options,
                        ThreadPool& pool);

// Sketches the bags [begin, end) and appends their rows to the current section of `file`.
Status append_signatures(storage::SectionWriter& file, const sketch::BagCollection& bags,
                         size_t begin, size_t end, const sketch::SketchOptions& options,
                         ThreadPool& pool);

// Signatures in parts: a shard sketches its share of the bags of a run, a merge puts the rows
// together (docs/formats/shards.md).
inline constexpr storage::FileKind signature_shard_kind{"sigs", 1};

// Part `shard` of `shards`, both from 1, of `bags` bags: ids that follow each other.
struct BagRange {
  uint64_t begin;
  uint64_t end;
};
BagRange share_of_bags(uint64_t bags, uint32_t shard, uint32_t shards);

// Sketches the bags of a range and writes the file of the shard.
Status write_signature_shard(storage::FileSystem& fs, const std::string& path,
                             const sketch::BagCollection& bags,
                             const sketch::SketchOptions& options, BagRange range,
                             ThreadPool& pool);

// Writes the signatures file of `bags` from those of all shards, in their order, whose checksums
// fit. An error of kind corrupt names the file that is not what it should be, or was made of other
// bags.
Status merge_signatures(storage::FileSystem& fs, const std::string& path,
                        std::span<const std::string> shards, const sketch::BagCollection& bags,
                        uint32_t lanes);

}  // namespace kith::jobs
