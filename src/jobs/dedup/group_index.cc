#include "jobs/dedup/group_index.h"

#include <algorithm>
#include <tuple>

namespace kith::jobs {

GroupIndex::GroupIndex(std::span<const uint32_t> kept) {
  std::vector<uint32_t>& sizes = numbers_;
  sizes.resize(kept.size());
  for (const uint32_t own : kept) ++sizes[own];
  std::vector<uint32_t> order;
  for (uint32_t id = 0; id < kept.size(); ++id) {
    if (sizes[id] > 1) order.push_back(id);
  }
  std::ranges::sort(order, [&](uint32_t a, uint32_t b) {
    return std::tuple(sizes[b], a) < std::tuple(sizes[a], b);
  });
  begins_.reserve(order.size() + 1);
  for (const uint32_t own : order) begins_.push_back(begins_.back() + sizes[own]);
  std::ranges::fill(numbers_, none);
  for (uint32_t group = 0; group < order.size(); ++group) numbers_[order[group]] = group;
  // Where the next member goes: behind the kept document.
  ids_.resize(begins_.back());
  std::vector<uint64_t> next(begins_.begin(), begins_.end() - 1);
  for (uint32_t group = 0; group < order.size(); ++group) ids_[next[group]++] = order[group];
  for (uint32_t id = 0; id < kept.size(); ++id) {
    const uint32_t group = numbers_[kept[id]];
    if (group != none && kept[id] != id) ids_[next[group]++] = id;
  }
}

}  // namespace kith::jobs
