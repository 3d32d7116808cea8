#include "pairs/nearest_blocks.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"

namespace kith::pairs::internal {

NearestBlocks::NearestBlocks(size_t n, size_t block_ids, uint32_t top, ListSpill spill)
    : n_(n),
      block_ids_(block_ids),
      top_(top),
      spill_(std::move(spill)),
      lists_(std::max<size_t>(1, (n + block_ids - 1) / block_ids)) {
  KITH_CHECK(!spills() || spill_.fs != nullptr);
}

uint32_t NearestBlocks::first_of(size_t block) const {
  return static_cast<uint32_t>(std::min(n_, block * block_ids_));
}

std::string NearestBlocks::path_of(size_t block) const {
  return fmt::format("{}/nearest-{}", spill_.folder, block);
}

Status NearestBlocks::open(size_t block) {
  TopLists& lists = lists_[block];
  if (lists.size() > 0) return spills() ? lists.load(*spill_.fs, path_of(block)) : Status::ok();
  lists = TopLists(first_of(block + 1) - first_of(block), top_, first_of(block));
  return Status::ok();
}

Status NearestBlocks::close(size_t block) {
  return spills() ? lists_[block].spill(*spill_.fs, path_of(block)) : Status::ok();
}

Result<NearestLists> NearestBlocks::finish() && {
  for (size_t block = 0; spills() && block < lists_.size(); ++block) {
    if (lists_[block].size() == 0) continue;
    KITH_TRY(lists_[block].map(*spill_.fs, path_of(block)));
    KITH_TRY(spill_.fs->remove(path_of(block)));
  }
  return NearestLists(std::move(lists_), block_ids_);
}

}  // namespace kith::pairs::internal
