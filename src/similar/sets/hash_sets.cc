#include "similar/sets/hash_sets.h"

#include <algorithm>

namespace kith::similar {
namespace {

sketch::HashSet up_to(sketch::HashSet set, uint64_t last) {
  return set.first(static_cast<size_t>(std::ranges::upper_bound(set, last) - set.begin()));
}

// A set that is read part by part; the next part when all of the last is taken.
class PartReader {
 public:
  PartReader(const HashSets& sets, size_t id) : sets_(sets), id_(id), size_(sets.size_of(id)) {}

  // What is not yet taken of the current part; empty behind the last.
  sketch::HashSet rest() {
    if (part_.empty() && read_ < size_) {
      const auto count =
          static_cast<size_t>(std::min<uint64_t>(HashSets::part_size, size_ - read_));
      part_ = sets_.read(id_, read_, count, buffer_);
      read_ += count;
    }
    return part_;
  }
  void take(size_t elements) { part_ = part_.subspan(elements); }

 private:
  const HashSets& sets_;
  const size_t id_;
  const uint64_t size_;
  uint64_t read_ = 0;
  sketch::HashSet part_;
  SetBuffer buffer_;
};

}  // namespace

sketch::SetOverlap set_overlap(const HashSets& first, size_t a, const HashSets& second, size_t b) {
  sketch::SetOverlap both{first.size_of(a), second.size_of(b), 0};
  PartReader of_a(first, a);
  PartReader of_b(second, b);
  // Of the current part of each, what lies below the end of both: all of one of them.
  for (;;) {
    sketch::HashSet x = of_a.rest();
    sketch::HashSet y = of_b.rest();
    if (x.empty() || y.empty()) return both;
    const uint64_t last = std::min(x.back(), y.back());
    x = up_to(x, last);
    y = up_to(y, last);
    both.common += sketch::overlap(x, y).common;
    of_a.take(x.size());
    of_b.take(y.size());
  }
}

sketch::HashSet OverlapReader::Side::read(size_t wanted) {
  if (id != wanted) set = sets.read(wanted, buffer);
  id = wanted;
  return set;
}

sketch::SetOverlap OverlapReader::operator()(size_t a, size_t b) {
  const uint64_t larger = std::max(first_.sets.size_of(a), second_.sets.size_of(b));
  if (larger > HashSets::part_size) return set_overlap(first_.sets, a, second_.sets, b);
  return sketch::overlap(first_.read(a), second_.read(b));
}

bool same_set(const HashSets& first, size_t a, const HashSets& second, size_t b) {
  if (first.size_of(a) != second.size_of(b)) return false;
  PartReader of_a(first, a);
  PartReader of_b(second, b);
  for (;;) {
    const sketch::HashSet x = of_a.rest();
    if (x.empty()) return true;
    if (!std::ranges::equal(x, of_b.rest())) return false;
    of_a.take(x.size());
    of_b.take(x.size());
  }
}

}  // namespace kith::similar
