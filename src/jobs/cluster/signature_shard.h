// Signatures in parts: a shard sketches its share of the bags of a run, a merge puts the rows
// together (docs/formats/shards.md).
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
