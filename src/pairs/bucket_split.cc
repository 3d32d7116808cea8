#include "pairs/bucket_split.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/hash.h"
#include "base/rng.h"

namespace kith::pairs {

BucketSplits::BucketSplits(const lsh::Tables& tables, size_t largest)
    : largest_(tables.params().tables, largest),
      lane_order_(tables.params().lanes),
      nodes_(tables.params().tables) {
  KITH_CHECK(largest >= 2);
  std::iota(lane_order_.begin(), lane_order_.end(), uint16_t{0});
  Rng rng(tables.params().seed);
  for (size_t i = lane_order_.size(); i > 1; --i) {
    std::swap(lane_order_[i - 1], lane_order_[rng.below(i)]);
  }
}

void BucketSplits::set_largest(uint32_t table, size_t largest) {
  KITH_CHECK(largest >= 2 && !any(table));
  largest_[table] = largest;
}

uint64_t BucketSplits::child_of(uint64_t node, uint32_t value) {
  return mix64(node + 0x9e3779b97f4a7c15u * (uint64_t{value} + 1));
}

uint32_t BucketSplits::id_bit(uint32_t table, uint32_t depth, uint32_t id) {
  return static_cast<uint32_t>(mix64(id ^ mix64(table + 1)) >> (depth % 64) & 1);
}

// The values of the first coordinates, member by member: members lie all over the rows.
std::vector<uint16_t> BucketSplits::gather(uint32_t table, const SignatureRows& rows,
                                           std::span<const uint32_t> members) const {
  constexpr size_t ahead = 8;
  const uint32_t depths = gathered_depths();
  std::vector<uint16_t> values;
  values.reserve(members.size() * depths);
  std::vector<uint16_t> buffer(rows.lanes());
  for (size_t i = 0; i < members.size(); ++i) {
    if (i + ahead < members.size()) rows.prefetch(members[i + ahead]);
    const std::span<const uint16_t> row = rows.read(members[i], buffer);
    for (uint32_t depth = 0; depth < depths; ++depth) values.push_back(row[lane(table, depth)]);
  }
  return values;
}

void BucketSplits::split(uint32_t table, uint32_t key, const SignatureRows& rows,
                         std::span<uint32_t> members,
                         const std::function<void(std::span<uint32_t> part)>& visit) {
  struct Part {
    size_t begin;  // of the members
    size_t end;
    uint64_t node;
    uint32_t depth;
  };
  const std::vector<uint32_t> all(members.begin(), members.end());
  const std::vector<uint16_t> values = gather(table, rows, all);
  const uint32_t depths = gathered_depths();
  std::vector<uint16_t> buffer(rows.lanes());
  const auto coordinate_of = [&](uint32_t member, uint32_t depth) -> uint32_t {
    if (depth < depths) return values[size_t{member} * depths + depth];
    const auto value = [&](uint32_t lane) { return rows.read(all[member], buffer)[lane]; };
    return coordinate(table, depth, rows.id(all[member]), value);
  };
  std::vector<uint32_t> order(all.size());  // numbers of members, part by part
  std::iota(order.begin(), order.end(), 0u);
  std::vector<std::pair<uint32_t, uint32_t>> by_value;
  by_value.reserve(all.size());
  // 64 bits of a bijective hash part any two ids, so the depth is bounded.
  std::vector<Part> todo{{0, all.size(), key, 0}};
  while (!todo.empty()) {
    const Part part = todo.back();
    todo.pop_back();
    if (part.end - part.begin <= largest_[table]) {
      if (part.end - part.begin < 2) continue;
      for (size_t i = part.begin; i < part.end; ++i) members[i] = all[order[i]];
      visit(members.subspan(part.begin, part.end - part.begin));
      continue;
    }
    {
      const std::lock_guard lock(*mutex_);
      nodes_[table].insert(part.node);
    }
    by_value.clear();
    for (size_t i = part.begin; i < part.end; ++i) {
      by_value.emplace_back(coordinate_of(order[i], part.depth), order[i]);
    }
    std::sort(by_value.begin(), by_value.end());
    for (size_t begin = 0, end = 0; begin < by_value.size(); begin = end) {
      while (end < by_value.size() && by_value[end].first == by_value[begin].first) {
        order[part.begin + end] = by_value[end].second;
        ++end;
      }
      todo.push_back({part.begin + begin, part.begin + end,
                      child_of(part.node, by_value[begin].first), part.depth + 1});
    }
  }
}

}  // namespace kith::pairs
