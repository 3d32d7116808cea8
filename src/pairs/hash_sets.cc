#include "pairs/hash_sets.h"

#include <algorithm>

namespace kith::pairs {
namespace {

constexpr size_t stretch = 1 << 17;  // elements: a MiB

HashSet up_to(HashSet set, uint64_t last) {
  return set.first(static_cast<size_t>(std::ranges::upper_bound(set, last) - set.begin()));
}

}  // namespace

SetOverlap set_overlap(const HashSets& first, size_t a, const HashSets& second, size_t b) {
  HashSet x = first[a];
  HashSet y = second[b];
  if (x.size() <= stretch && y.size() <= stretch) return overlap(x, y);
  SetOverlap both{x.size(), y.size(), 0};
  // Of the next stretch of each, what lies below the end of both: all of one of them.
  while (!x.empty() && !y.empty()) {
    HashSet of_x = x.first(std::min(stretch, x.size()));
    HashSet of_y = y.first(std::min(stretch, y.size()));
    const uint64_t last = std::min(of_x.back(), of_y.back());
    of_x = up_to(of_x, last);
    of_y = up_to(of_y, last);
    both.common += overlap(of_x, of_y).common;
    first.release(of_x);
    second.release(of_y);
    x = x.subspan(of_x.size());
    y = y.subspan(of_y.size());
  }
  return both;
}

// Sets of many elements are read in place.
bool OverlapReader::Side::copies(size_t wanted) const {
  constexpr uint64_t largest = 1 << 13;  // elements
  return sets.is_mapped() && !resident.holds_all() && sets.size_of(wanted) <= largest;
}

HashSet OverlapReader::Side::read(size_t wanted) {
  if (id != wanted) sets.copy(wanted, buffer);
  id = wanted;
  return buffer;
}

SetOverlap OverlapReader::operator()(size_t a, size_t b) {
  if (first_.copies(a) && second_.copies(b)) return overlap(first_.read(a), second_.read(b));
  const SetOverlap both = set_overlap(first_.sets, a, second_.sets, b);
  first_.resident.touch(a);
  second_.resident.touch(b);
  return both;
}

bool same_set(const HashSets& first, size_t a, const HashSets& second, size_t b) {
  const HashSet x = first[a];
  const HashSet y = second[b];
  if (x.size() != y.size()) return false;
  for (size_t begin = 0; begin < x.size(); begin += stretch) {
    const size_t size = std::min(stretch, x.size() - begin);
    const HashSet of_x = x.subspan(begin, size);
    const HashSet of_y = y.subspan(begin, size);
    if (!std::ranges::equal(of_x, of_y)) return false;
    if (x.size() <= stretch) continue;
    first.release(of_x);
    second.release(of_y);
  }
  return true;
}

}  // namespace kith::pairs
