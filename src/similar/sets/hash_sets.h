// The elements of many documents, e.g. their shingles, in one array.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/mapping.h"
#include "base/read_buffer.h"
#include "sketch/set_overlap.h"

namespace kith::similar {

using SetBuffer = ReadBuffer<uint64_t>;

// n sets of 64-bit hashes, one after the other; each ascending, each element once. A view.
class HashSets {
 public:
  // Elements that for_parts() reads at a time, at most: 256 KiB.
  static constexpr size_t part_size = 1 << 15;

  HashSets() = default;
  // offsets: where each set begins, and the end: n + 1, from 0 to elements.size(), ascending.
  // `mapping`, if any, is what the elements are mapped by. All outlive this object.
  HashSets(std::span<const uint64_t> elements, std::span<const uint64_t> offsets,
           const Mapping* mapping = nullptr)
      : elements_(elements), offsets_(offsets), mapping_(mapping) {}

  size_t size() const { return offsets_.empty() ? 0 : offsets_.size() - 1; }
  // Of all sets.
  uint64_t elements() const { return elements_.size(); }
  uint64_t size_of(size_t id) const { return offsets_[id + 1] - offsets_[id]; }
  // A view. To read it makes pages of a mapping resident: use read() or for_parts() where sets are
  // many.
  sketch::HashSet operator[](size_t id) const {
    return elements_.subspan(offsets_[id], size_of(id));
  }

  // Elements [from, from + count) of a set: a view where the sets are in memory; where they are
  // mapped, a copy in `buffer`, and no page becomes resident (Mapping::copy()). REQUIRES: from +
  // count <= size_of(id).
  sketch::HashSet read(size_t id, uint64_t from, size_t count, SetBuffer& buffer) const {
    const sketch::HashSet part = elements_.subspan(offsets_[id] + from, count);
    if (mapping_ == nullptr || part.empty()) return part;
    const std::span<uint64_t> copy = buffer.room_for(count);
    mapping_->copy(std::as_bytes(part), std::as_writable_bytes(copy).data());
    return copy;
  }
  // Likewise all of a set, however large it is.
  sketch::HashSet read(size_t id, SetBuffer& buffer) const {
    return read(id, 0, size_of(id), buffer);
  }
  // Calls visit(HashSet part) for all of a set, part after part; a part is a view until the next.
  template <class Visit>
  void for_parts(size_t id, SetBuffer& buffer, Visit&& visit) const {
    const uint64_t size = size_of(id);
    for (uint64_t from = 0; from < size; from += part_size) {
      visit(read(id, from, std::min<uint64_t>(part_size, size - from), buffer));
    }
  }

 private:
  std::span<const uint64_t> elements_;
  std::span<const uint64_t> offsets_;
  const Mapping* mapping_ = nullptr;
};

// overlap() of set a of the first and set b of the second, and whether they are equal. No page of a
// mapping becomes resident, and no more than half a MiB is taken for a while. Thread-safe.
sketch::SetOverlap set_overlap(const HashSets& first, size_t a, const HashSets& second, size_t b);
bool same_set(const HashSets& first, size_t a, const HashSets& second, size_t b);

// Overlaps of many pairs, such that the same set often comes again: of sets of usual size the last
// of each side stays in a buffer. One for a thread, or for a piece of its work.
class OverlapReader {
 public:
  // Of a set of the first and one of the second, which outlive this object.
  OverlapReader(const HashSets& first, const HashSets& second) : first_{first}, second_{second} {}

  // set_overlap() of them.
  sketch::SetOverlap operator()(size_t a, size_t b);

 private:
  struct Side {
    const HashSets& sets;
    SetBuffer buffer = {};
    size_t id = SIZE_MAX;  // of the set that was read last
    sketch::HashSet set = {};

    sketch::HashSet read(size_t wanted);
  };

  Side first_;
  Side second_;
};

}  // namespace kith::similar
