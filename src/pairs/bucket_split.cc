#include "pairs/bucket_split.h"

#include <algorithm>
#include <numeric>

#include "base/hash.h"
#include "base/rng.h"

namespace kith::pairs::internal {

BucketSplitter::BucketSplitter(const Signatures& signatures, const lsh::Tables& tables,
                               size_t largest)
    : signatures_(signatures),
      tables_(tables),
      largest_(largest),
      lane_order_(tables.params().lanes),
      depths_(tables.params().tables) {
  std::iota(lane_order_.begin(), lane_order_.end(), uint16_t{0});
  Rng rng(tables.params().seed);
  for (size_t i = lane_order_.size(); i > 1; --i) {
    std::swap(lane_order_[i - 1], lane_order_[rng.below(i)]);
  }
}

void BucketSplitter::prepare(uint32_t table) {
  depths_[table].assign(signatures_.size(), 0);
  any_split_ = true;
}

uint32_t BucketSplitter::coordinate(uint32_t table, uint32_t depth, uint32_t id) const {
  const auto lanes = static_cast<uint32_t>(lane_order_.size());
  // Each table starts at another place of the order, so that a pair which one table separates is
  // not separated by the same lanes in the next.
  if (depth < lanes) return signatures_[id][lane_order_[(depth + 7 * table) % lanes]];
  const uint64_t bits = mix64(id ^ mix64(table + 1));
  return static_cast<uint32_t>(bits >> ((depth - lanes) % 64) & 1);
}

void BucketSplitter::split(uint32_t table, std::span<uint32_t> members,
                           const std::function<void(std::span<uint32_t> part)>& visit) {
  struct Part {
    std::span<uint32_t> members;
    uint16_t depth;
  };
  // 64 bits of a bijective hash part any two ids, so the depth is bounded.
  std::vector<Part> todo{{members, 0}};
  std::vector<std::pair<uint32_t, uint32_t>> by_value;
  while (!todo.empty()) {
    const Part part = todo.back();
    todo.pop_back();
    if (part.members.size() <= largest_) {
      for (const uint32_t id : part.members) depths_[table][id] = part.depth;
      if (part.members.size() > 1) visit(part.members);
      continue;
    }
    by_value.clear();
    for (const uint32_t id : part.members) {
      by_value.emplace_back(coordinate(table, part.depth, id), id);
    }
    std::sort(by_value.begin(), by_value.end());
    for (size_t begin = 0, end = 0; begin < by_value.size(); begin = end) {
      while (end < by_value.size() && by_value[end].first == by_value[begin].first) {
        part.members[end] = by_value[end].second;
        ++end;
      }
      todo.push_back(
          {part.members.subspan(begin, end - begin), static_cast<uint16_t>(part.depth + 1)});
    }
  }
}

bool BucketSplitter::together(uint32_t table, uint32_t a, uint32_t b) const {
  if (!is_split(table)) return true;
  for (uint32_t depth = 0; depth < depths_[table][a]; ++depth) {
    if (coordinate(table, depth, a) != coordinate(table, depth, b)) return false;
  }
  return true;
}

bool BucketSplitter::collide(uint32_t table, uint32_t a, uint32_t b) const {
  const std::span<const uint16_t> x = signatures_[a];
  const std::span<const uint16_t> y = signatures_[b];
  return std::ranges::all_of(tables_.subset(table),
                             [&](uint16_t lane) { return x[lane] == y[lane]; });
}

uint32_t BucketSplitter::first_meeting(uint32_t a, uint32_t b) const {
  uint32_t table = tables_.first_collision(signatures_[a], signatures_[b]);
  if (!any_split_) return table;
  const uint32_t tables = tables_.params().tables;
  while (table < tables && !(collide(table, a, b) && together(table, a, b))) ++table;
  return table;
}

}  // namespace kith::pairs::internal
