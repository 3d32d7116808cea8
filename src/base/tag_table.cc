#include "base/tag_table.h"

namespace kith {

void TagTable::grow(size_t slots) {
  LargeArray<Slot> smaller(slots);
  std::swap(smaller, slots_);
  for (const Slot& slot : smaller.span()) {
    if (slot.taken != 0) insert(slot);
  }
}

// What stands behind moves up where its search began at the free slot or before (Knuth, The Art of
// Computer Programming, vol. 3, 6.4, algorithm R).
void TagTable::remove(uint64_t hash, uint32_t number) {
  size_t gap = home(tag_of(hash));
  while (slots_[gap].taken != number + 1) gap = after(gap);
  const auto distance = [&](size_t from, size_t to) {
    return to >= from ? to - from : to + slots_.size() - from;
  };
  for (size_t at = after(gap); slots_[at].taken != 0; at = after(at)) {
    if (distance(home(slots_[at].tag), at) < distance(gap, at)) continue;
    slots_[gap] = slots_[at];
    gap = at;
  }
  slots_[gap] = {};
  --size_;
}

}  // namespace kith
