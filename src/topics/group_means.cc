#include "topics/group_means.h"

#include <algorithm>
#include <atomic>

#include "pairs/neighbour.h"

namespace kith::topics {
namespace {

constexpr size_t term_grain = 1024;

}  // namespace

GroupMeans::GroupMeans(const TopicVectors& vectors, const NodeGroups& groups, ThreadPool& pool)
    : vectors_(vectors), groups_(groups), pool_(pool), nodes_(vectors.terms()) {
  std::vector<std::vector<uint32_t>> counts(pool.size());
  pool.for_chunks(vectors.size(), TopicVectors::grain,
                  [&](size_t begin, size_t end, unsigned worker) {
                    std::vector<uint32_t>& count = counts[worker];
                    count.resize(vectors.terms());
                    TopicVectors::Stretch stretch(vectors, begin, end);
                    for (size_t i = begin; i < end; ++i) {
                      if (groups.group[i] == pairs::no_id) continue;
                      for (const Coordinate& c : stretch[i]) ++count[c.term];
                    }
                  });
  for (const std::vector<uint32_t>& count : counts) {
    for (size_t term = 0; term < count.size(); ++term) nodes_[term] += count[term];
  }
}

// Whether values of all groups take no more than parts.
bool GroupMeans::has_all(uint32_t term) const {
  return uint64_t{nodes_[term]} * sizeof(GroupPart) >= groups_.pages.size() * sizeof(GroupValue);
}

uint64_t GroupMeans::bytes_of(uint32_t term) const {
  return sizeof(Place) + (has_all(term) ? groups_.pages.size() * sizeof(GroupValue)
                                        : nodes_[term] * sizeof(GroupPart));
}

uint32_t GroupMeans::find_places(uint32_t begin, uint64_t memory) {
  all_ = {};
  some_ = {};
  places_.clear();
  begin_ = begin;
  uint64_t all = 0;
  uint64_t some = 0;
  uint64_t bytes = 0;
  uint32_t end = begin;
  for (; end < nodes_.size(); ++end) {
    bytes += bytes_of(end);
    if (bytes > memory && end > begin) break;
    places_.push_back({has_all(end) ? all : some, 0});
    if (has_all(end)) {
      all += groups_.pages.size();
    } else {
      some += nodes_[end];
    }
  }
  all_ = LargeArray<GroupValue>(all);
  some_ = LargeArray<GroupPart>(some);
  return end;
}

template <class Value>
Value GroupMeans::add_to(Value& sum, Value value) const {
  if (pool_.size() > 1) return std::atomic_ref(sum).fetch_add(value, std::memory_order_relaxed);
  sum += value;
  return sum - value;
}

void GroupMeans::add(const Coordinate& c, uint32_t group, uint64_t pages) {
  Place& place = places_[c.term - begin_];
  const uint64_t value = pages * c.value;
  if (has_all(c.term)) {
    add_to(all_[place.begin + group].sum(), value);
    return;
  }
  GroupPart& part = some_[place.begin + add_to(place.size, uint32_t{1})];
  part.group = group;
  part.value.sum() = value;
}

double GroupMeans::mean_of(uint64_t sum, uint32_t group) const {
  return static_cast<double>(sum) / (vector_one * static_cast<double>(groups_.pages[group]));
}

// Sums become means.
void GroupMeans::finish(uint32_t term) {
  Place& place = places_[term - begin_];
  if (has_all(term)) {
    for (uint32_t g = 0; g < groups_.pages.size(); ++g) {
      GroupValue& value = all_[place.begin + g];
      value.set_mean(mean_of(value.sum(), g));
    }
    return;
  }
  const auto parts = some_.span().subspan(place.begin, place.size);
  std::ranges::sort(parts, {}, &GroupPart::group);
  uint32_t kept = 0;
  for (size_t i = 0; i < parts.size();) {
    const uint32_t group = parts[i].group;
    uint64_t sum = 0;
    for (; i < parts.size() && parts[i].group == group; ++i) sum += parts[i].value.sum();
    parts[kept].group = group;
    parts[kept++].value.set_mean(mean_of(sum, group));
  }
  place.size = kept;
}

uint32_t GroupMeans::make(uint32_t begin, uint64_t memory) {
  const uint32_t end = find_places(begin, memory);
  pool_.for_chunks(vectors_.size(), TopicVectors::grain, [&](size_t first, size_t last, unsigned) {
    TopicVectors::Stretch stretch(vectors_, first, last);
    for (size_t i = first; i < last; ++i) {
      const uint32_t group = groups_.group[i];
      if (group == pairs::no_id) continue;
      const uint64_t pages = vectors_.pages(i);
      for (const Coordinate& c : stretch[i]) {
        if (c.term >= end) break;
        if (c.term >= begin) add(c, group, pages);
      }
    }
  });
  pool_.for_chunks(end - begin, term_grain, [&](size_t first, size_t last, unsigned) {
    for (size_t term = first; term < last; ++term) finish(begin + static_cast<uint32_t>(term));
  });
  return end;
}

TermMeans GroupMeans::operator[](uint32_t term) const {
  const Place& place = places_[term - begin_];
  if (has_all(term)) return {all_.span().subspan(place.begin, groups_.pages.size()), {}};
  return {{}, some_.span().subspan(place.begin, place.size)};
}

}  // namespace kith::topics
