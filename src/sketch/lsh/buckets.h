// Runs of equal keys in a sorted list of (key, id) entries: the buckets of one table.
#pragma once

#include <cstddef>
#include <span>

namespace kith::sketch {

// The number of entries at the front of `sorted` that share its first key; 0 when it is empty.
// Entry has a member `key`; the list is sorted, or at least grouped, by it.
template <class Entry>
size_t first_bucket_size(std::span<const Entry> sorted) {
  size_t size = 0;
  while (size < sorted.size() && sorted[size].key == sorted.front().key) ++size;
  return size;
}

// Calls visit(std::span<const Entry>) for every run of equal keys, in order. The runs are
// non-empty, disjoint and cover the list.
template <class Entry, class Visit>
void for_each_bucket(std::span<const Entry> sorted, Visit&& visit) {
  while (!sorted.empty()) {
    const size_t size = first_bucket_size(sorted);
    visit(sorted.first(size));
    sorted = sorted.subspan(size);
  }
}

}  // namespace kith::sketch
