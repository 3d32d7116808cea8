#include "pairs/bucket_split.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/hash.h"
#include "base/rng.h"

namespace kith::pairs {

BucketSplits::BucketSplits(const lsh::Tables& tables, size_t largest)
    : largest_(largest), lane_order_(tables.params().lanes), nodes_(tables.params().tables) {
  KITH_CHECK(largest >= 2);
  std::iota(lane_order_.begin(), lane_order_.end(), uint16_t{0});
  Rng rng(tables.params().seed);
  for (size_t i = lane_order_.size(); i > 1; --i) {
    std::swap(lane_order_[i - 1], lane_order_[rng.below(i)]);
  }
}

uint64_t BucketSplits::child_of(uint64_t node, uint32_t value) {
  return mix64(node + 0x9e3779b97f4a7c15u * (uint64_t{value} + 1));
}

uint32_t BucketSplits::id_bit(uint32_t table, uint32_t depth, uint32_t id) {
  return static_cast<uint32_t>(mix64(id ^ mix64(table + 1)) >> (depth % 64) & 1);
}

void BucketSplits::split(uint32_t table, uint32_t key, const SignatureRows& rows,
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
      const std::lock_guard lock(*mutex_);
      nodes_[table].insert(part.node);
    }
    by_value.clear();
    for (const uint32_t row : part.members) {
      const auto value = [&](uint32_t lane) { return rows.value(row, lane); };
      by_value.emplace_back(coordinate(table, part.depth, rows.id(row), value), row);
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

}  // namespace kith::pairs
