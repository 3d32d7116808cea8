#include "similar/nearest_lists.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"

namespace kith::similar {

NearestLists::NearestLists(TopLists lists)
    : n_(lists.size()), block_ids_(std::max<size_t>(n_, 1)), top_(lists.k()) {
  blocks_.push_back(std::move(lists));
}

NearestLists::NearestLists(size_t n, size_t block_ids, uint32_t top, ListSpill spill)
    : n_(n),
      block_ids_(block_ids),
      top_(top),
      spill_(std::move(spill)),
      blocks_(std::max<size_t>(1, (n + block_ids - 1) / block_ids)) {
  KITH_CHECK(!spills() || spill_.fs != nullptr);
}

uint32_t NearestLists::first_of(size_t block) const {
  return static_cast<uint32_t>(std::min(n_, block * block_ids_));
}

std::string NearestLists::path_of(size_t block) const {
  return fmt::format("{}/{}-{}", spill_.folder, spill_.name, block);
}

Status NearestLists::open(size_t block) {
  TopLists& lists = blocks_[block];
  if (lists.size() > 0) return spills() ? lists.load(*spill_.fs, path_of(block)) : Status::ok();
  lists = TopLists(first_of(block + 1) - first_of(block), top_, first_of(block));
  return Status::ok();
}

Status NearestLists::close(size_t block) {
  return spills() ? blocks_[block].spill(*spill_.fs, path_of(block)) : Status::ok();
}

Status NearestLists::finish() {
  for (size_t block = 0; spills() && block < blocks_.size(); ++block) {
    if (blocks_[block].size() == 0) continue;
    KITH_TRY(map(block));
  }
  return Status::ok();
}

Status NearestLists::map(size_t block) {
  KITH_TRY(blocks_[block].map(*spill_.fs, path_of(block)));
  return spill_.fs->remove(path_of(block));
}

Status NearestLists::replace(size_t block, TopLists lists) {
  blocks_[block] = std::move(lists);
  if (!spills() || blocks_[block].size() == 0) return Status::ok();
  KITH_TRY(close(block));
  return map(block);
}

}  // namespace kith::similar
