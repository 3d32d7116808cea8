// Runs in parts (docs/formats/shards.md): whether shards belong together, and the counts of all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "kith/report.h"
#include "kith/status.h"

#include "run/stage_files.h"

namespace kith::run {

// One shard, as its directory tells.
struct ShardFacts {
  std::string path;
  std::string version;  // of kith that made it
  uint32_t shard = 0;   // in [1, shards]
  uint32_t shards = 0;
  std::vector<std::string> inputs;
  std::string kind;      // what it holds; shards of two kinds are not merged
  std::string identity;  // the JSON object of the options that decide what it holds
};

// Whether the shards are 1 to N of the same whole. They are in the order of their numbers. An error
// of kind usage names the two that do not belong together, or the shards that are missing.
Status check_shards(std::span<const ShardFacts> shards);

// How a merge knows a shard, wherever it was copied to: by the checksums of what it holds.
nlohmann::json shard_row(const Checksums& checksums);

// What to say when a shard stands where a run is wanted, and a run where a shard is.
Error is_shard_no_run(const std::string& path, uint32_t shard, uint32_t shards);
Error is_run_no_shard(const std::string& path);

// What one shard has read.
struct ShardCounts {
  const CrawlCounts* crawl;
  std::vector<uint32_t> example_inputs;  // the number of the input file of each of its examples
};

// The counts of all shards, as one run on the whole would have them: examples are the first few of
// every kind in input order. `options`: by which all were read. `later`: pages that do not count,
// since there are better captures of their URLs; `joined` of them are the first of other spellings.
// REQUIRES: there are shards.
CrawlCounts merged_counts(std::span<const ShardCounts> shards, const ReadOptions& options,
                          const PageCounts& later, uint64_t joined = 0);

}  // namespace kith::run
