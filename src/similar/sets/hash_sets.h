// The elements of many documents, e.g. their shingles, in one array.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/parallel/thread_pool.h"
#include "sketch/estimate.h"

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

// Documents with equal sets of elements: collapsed before any join, as equal bags are
// (similar/duplicates.h). Lossless.

// Arrays of n, indexed by id. An empty set is alone in its group: it resembles nothing.
struct EqualSets {
  std::vector<uint32_t> representative;  // the lowest id with the same set
  std::vector<uint32_t> multiplicity;    // by representative: how many have its set; else 0

  size_t size() const { return representative.size(); }
  bool is_representative(uint32_t id) const { return representative[id] == id; }
  // The representatives of sets that are not empty, ascending: what a join works on.
  std::vector<uint32_t> distinct(const HashSets& sets) const;
};

// `fingerprint` gives a hash of a set by its id; sets that share one are compared element by
// element. The same for any number of threads. Memory: 40 bytes per set, of which 8 stay.
EqualSets find_equal_sets(const HashSets& sets,
                          const std::function<uint64_t(uint32_t id)>& fingerprint,
                          ThreadPool& pool);

// What sets are about: the words of a title, say. Sets about different things are no pair, however
// similar they are.

// A word of a subject, by a hash of it: an even number, or the next one where the word is sure to
// say what the set is about.
inline uint32_t sure_word(uint32_t word) {
  return word | 1;
}

// Whether each of two subjects has a word that the other has not, or one of them a sure one. So
// none differs from one without words, and none from itself with other words added. Words:
// ascending, each once.
bool subjects_differ(std::span<const uint32_t> a, std::span<const uint32_t> b);

// The subjects of sets, by their number. Immutable once made, thread-safe.
class Subjects {
 public:
  Subjects() = default;
  // words: of all, one after the other; ends: by set, where its words end.
  Subjects(std::vector<uint32_t> words, std::vector<uint64_t> ends)
      : words_(std::move(words)), ends_(std::move(ends)) {}

  // By set the one whose subject it is to have: of copies the first.
  void share(std::vector<uint32_t> with) { shared_ = std::move(with); }
  bool empty() const { return ends_.empty(); }

  // Of the set itself.
  std::span<const uint32_t> own(uint32_t set) const {
    const uint64_t begin = set == 0 ? 0 : ends_[set - 1];
    return {words_.data() + begin, words_.data() + ends_[set]};
  }
  std::span<const uint32_t> operator[](uint32_t set) const {
    return own(shared_.empty() ? set : shared_[set]);
  }
  bool differ(uint32_t a, uint32_t b) const { return subjects_differ((*this)[a], (*this)[b]); }

 private:
  std::vector<uint32_t> words_;
  std::vector<uint64_t> ends_;
  std::vector<uint32_t> shared_;
};

}  // namespace kith::similar
