// Shards to bags: the pages of all shards go into one BagBuilder as if they had been read by it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kith/report.h"
#include "kith/status.h"

#include "bags/bag_builder.h"
#include "bags/shard/file.h"
#include "bags/vocabulary/vocabulary.h"
#include "base/budget.h"
#include "base/parallel/thread_pool.h"

namespace kith::bags {

// For every shard a flag a page: whether it is the first capture of its URL in input order. The
// shards have kept the first one among their own. Memory: up to 40 bytes per page, and 32 per
// block.
std::vector<std::vector<bool>> first_captures(std::span<const ShardFile> shards);

class ShardMerger {
 public:
  // `builder` must outlive this object. `memory`: of the bags stage. A share of it is for what one
  // shard at a time needs, 8 a form and worker, 4 per form, and the strings of its forms: of all
  // that no more workers take part than there is room for, but one.
  ShardMerger(BagBuilder& builder, const Budget& memory)
      : builder_(&builder), memory_(memory.share(Share::shard_forms)) {}

  // Finds the templates of the sites of all pages that are flagged, if boilerplate is to be left
  // out. To be called before add(); the shards are all there are.
  Status find_boilerplate(std::span<const ShardFile> shards,
                          std::span<const std::vector<bool>> is_first, ThreadPool& pool);

  // Adds the pages of one shard that `is_first` has flagged, and its redirects. The shard must live
  // until builder.finish() returns. Counts those that are not flagged, since the shard has counted
  // them and the whole would not. An error of kind usage, which names the minimum, when its forms
  // do not fit the memory.
  Result<PageCounts> add(const ShardFile& shard, const std::vector<bool>& is_first,
                         ThreadPool& pool);

 private:
  Result<unsigned> workers_for(const ShardFile& shard, unsigned threads) const;

  BagBuilder* builder_;
  Budget memory_;
};

}  // namespace kith::bags
