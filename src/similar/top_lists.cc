#include "similar/top_lists.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"

namespace kith::similar {
namespace {

Error has_become_shorter(const std::string& path) {
  return {ErrorKind::io, path +
                             ": a temporary file of this run has become shorter; run the same "
                             "command again"};
}

}  // namespace

TopLists::TopLists(size_t n, uint32_t k, uint32_t first)
    : k_(k), first_(first), counts_(n, 0), rows_(n * k) {}

void TopLists::offer(uint32_t id, Neighbour neighbour) {
  if (k_ == 0) return;
  Neighbour* const row = rows_.data() + size_t{id - first_} * k_;
  uint32_t& count = counts_[id - first_];
  if (count == k_) {
    if (!nearer(neighbour, row[0])) return;
    std::pop_heap(row, row + count, nearer);
    row[count - 1] = neighbour;
  } else {
    row[count++] = neighbour;
  }
  std::push_heap(row, row + count, nearer);
}

void TopLists::assign(uint32_t id, std::span<const Neighbour> nearest) {
  KITH_CHECK(nearest.size() <= k_);
  std::copy(nearest.begin(), nearest.end(), rows_.data() + size_t{id - first_} * k_);
  counts_[id - first_] = static_cast<uint32_t>(nearest.size());
}

void TopLists::sort(uint32_t id) {
  Neighbour* const row = rows_.data() + size_t{id - first_} * k_;
  std::sort(row, row + counts_[id - first_], nearer);
}

Status TopLists::spill(storage::FileSystem& fs, const std::string& path) {
  KITH_ASSIGN(const auto file, fs.create(path));
  KITH_TRY(file->append(std::as_bytes(std::as_const(rows_).span())));
  KITH_TRY(file->close());
  rows_ = {};
  return Status::ok();
}

Status TopLists::load(storage::FileSystem& fs, const std::string& path) {
  KITH_ASSIGN(const auto file, fs.open(path));
  rows_ = LargeArray<Neighbour>(counts_.size() * k_);
  const auto bytes = std::as_writable_bytes(rows_.span());
  KITH_ASSIGN(const size_t got, file->read_at(0, bytes));
  if (got == bytes.size()) return Status::ok();
  return has_become_shorter(path);
}

Status TopLists::map(storage::FileSystem& fs, const std::string& path) {
  KITH_ASSIGN(file_, fs.map(path));
  if (file_->bytes().size() == counts_.size() * k_ * sizeof(Neighbour)) return Status::ok();
  return has_become_shorter(path);
}

namespace {

// Appends the members of a group at one sum until `out` has k; false once it has.
bool append_members(const DuplicateGroups& groups, Neighbour group, uint32_t except, size_t k,
                    std::vector<Neighbour>& out) {
  groups.for_each_member(group.id, [&](uint32_t member) {
    if (member != except) out.push_back({member, group.sum_of_minima});
    return out.size() < k;
  });
  return out.size() < k;
}

}  // namespace

void expand_nearest(std::span<const Neighbour> list, uint32_t k, const DuplicateGroups& groups,
                    uint32_t id, std::vector<Neighbour>& nearest) {
  nearest.clear();
  const uint32_t own = groups.representative[id];
  if (k == 0) return;
  append_members(groups, {own, sketch::bag_total}, id, k, nearest);
  size_t i = 0;
  // Equal bags of other classes are of other groups.
  for (; i < list.size() && list[i].sum_of_minima == sketch::bag_total; ++i) {
    append_members(groups, list[i], no_id, nearest.size() + k, nearest);
  }
  std::sort(nearest.begin(), nearest.end(), nearer);
  while (i < list.size() && nearest.size() < k) {
    // Groups that tie are merged by id: all their members compete for the places that are left.
    const size_t first = nearest.size();
    size_t tied = i;
    for (; tied < list.size() && list[tied].sum_of_minima == list[i].sum_of_minima; ++tied) {
      append_members(groups, list[tied], no_id, nearest.size() + k - first, nearest);
    }
    std::sort(nearest.begin() + static_cast<ptrdiff_t>(first), nearest.end(), nearer);
    i = tied;
  }
  if (nearest.size() > k) nearest.resize(k);
}

void expand_pairs(std::span<const Neighbour> similar, const DuplicateGroups& groups, uint32_t id,
                  std::vector<Neighbour>& pairs) {
  pairs.clear();
  for (uint32_t twin = groups.next[id]; twin != no_id; twin = groups.next[twin]) {
    pairs.push_back({twin, sketch::bag_total});
  }
  for (const Neighbour& found : similar) {
    groups.for_each_member(found.id, [&](uint32_t member) {
      if (member > id) pairs.push_back({member, found.sum_of_minima});
      return true;
    });
  }
  if (std::ranges::is_sorted(pairs, {}, &Neighbour::id)) return;
  std::ranges::sort(pairs, {}, &Neighbour::id);
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
