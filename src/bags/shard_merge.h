// Shards to bags: the pages of all shards go into one BagBuilder as if they had been read by it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "bags/bag_builder.h"
#include "bags/shard_file.h"
#include "bags/vocabulary.h"
#include "parallel/thread_pool.h"

namespace kith::bags {

// Pages that were captured in an earlier file too, by another shard: what the shards have counted
// and the whole would not.
struct LaterCaptures {
  uint64_t pages = 0;
  uint64_t payload_bytes = 0;
  uint64_t cut_pages = 0;
  uint64_t short_pages = 0;

  LaterCaptures& operator+=(const LaterCaptures& more);
};

// For every shard a flag a page: whether it is the first capture of its URL in input order. The
// shards have kept the first one among their own. Memory: up to 40 bytes a page, and 32 a block.
std::vector<std::vector<bool>> first_captures(std::span<const ShardFile> shards);

class ShardMerger {
 public:
  // `builder` must outlive this object, and this object builder.finish(). Memory: the vocabulary,
  // and for one shard at a time 8 bytes a form and worker.
  explicit ShardMerger(BagBuilder& builder) : builder_(&builder) {}

  // Adds the pages of one shard that `is_first` has flagged, and its redirects.
  Result<LaterCaptures> add(const ShardFile& shard, const std::vector<bool>& is_first,
                            ThreadPool& pool);
  // To be called once, after all shards were added and before builder.finish().
  void finish();

 private:
  void count_form(std::string_view stem, std::string_view word, uint64_t count);

  BagBuilder* builder_;
  Vocabulary forms_;                   // of all shards
  std::vector<uint64_t> form_counts_;  // by their ids there
};

}  // namespace kith::bags
