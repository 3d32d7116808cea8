#include "pairs/bucket_split.h"

#include <algorithm>
#include <numeric>

#include "base/hash.h"
#include "base/rng.h"

namespace kith::pairs::internal {
namespace {

// A node is named by its key and the values on the way to it; a root by its key.
uint64_t child_of(uint64_t node, uint32_t value) {
  return mix64(node + 0x9e3779b97f4a7c15u * (uint64_t{value} + 1));
}

}  // namespace

BucketSplits::BucketSplits(const lsh::Tables& tables, size_t largest)
    : tables_(tables),
      largest_(largest),
      lane_order_(tables.params().lanes),
      nodes_(tables.params().tables) {
  std::iota(lane_order_.begin(), lane_order_.end(), uint16_t{0});
  Rng rng(tables.params().seed);
  for (size_t i = lane_order_.size(); i > 1; --i) {
    std::swap(lane_order_[i - 1], lane_order_[rng.below(i)]);
  }
}

uint32_t BucketSplits::coordinate(uint32_t table, uint32_t depth, const BlockRows& rows,
                                  uint32_t row) const {
  const auto lanes = static_cast<uint32_t>(lane_order_.size());
  // Each table starts at another place of the order, so that a pair which one table separates is
  // not separated by the same lanes in the next.
  if (depth < lanes) return rows.value(row, lane_order_[(depth + 7 * table) % lanes]);
  const uint64_t bits = mix64(rows.id(row) ^ mix64(table + 1));
  return static_cast<uint32_t>(bits >> ((depth - lanes) % 64) & 1);
}

void BucketSplits::split(uint32_t table, uint32_t key, const BlockRows& rows,
                         std::span<uint32_t> members,
                         const std::function<void(std::span<uint32_t> part)>& visit) {
  struct Part {
    std::span<uint32_t> members;
    uint64_t node;
    uint32_t depth;
  };
  // 64 bits of a bijective hash part any two ids, so the depth is bounded.
  std::vector<Part> todo{{members, key, 0}};
  std::vector<std::pair<uint32_t, uint32_t>> by_value;
  while (!todo.empty()) {
    const Part part = todo.back();
    todo.pop_back();
    if (part.members.size() <= largest_) {
      if (part.members.size() > 1) visit(part.members);
      continue;
    }
    {
      const std::lock_guard lock(mutex_);
      nodes_[table].insert(part.node);
    }
    by_value.clear();
    for (const uint32_t row : part.members) {
      by_value.emplace_back(coordinate(table, part.depth, rows, row), row);
    }
    std::sort(by_value.begin(), by_value.end());
    for (size_t begin = 0, end = 0; begin < by_value.size(); begin = end) {
      while (end < by_value.size() && by_value[end].first == by_value[begin].first) {
        part.members[end] = by_value[end].second;
        ++end;
      }
      todo.push_back({part.members.subspan(begin, end - begin),
                      child_of(part.node, by_value[begin].first), part.depth + 1});
    }
  }
}

uint32_t BucketSplits::part_key(uint32_t table, uint32_t key, const BlockRows& rows,
                                uint32_t row) const {
  uint64_t node = key;
  for (uint32_t depth = 0; nodes_[table].contains(node); ++depth) {
    node = child_of(node, coordinate(table, depth, rows, row));
  }
  return node == key ? key : bucket_key(node);
}

bool BucketSplits::together(uint32_t table, const BlockRows& rows, uint32_t a, uint32_t b) const {
  if (!any(table)) return true;
  std::vector<uint16_t> values(rows.lanes());
  rows.values(a, values);
  uint64_t node = bucket_key(tables_.key(table, values));
  for (uint32_t depth = 0; nodes_[table].contains(node); ++depth) {
    const uint32_t value = coordinate(table, depth, rows, a);
    if (value != coordinate(table, depth, rows, b)) return false;
    node = child_of(node, value);
  }
  return true;
}

}  // namespace kith::pairs::internal
