// The elements of many documents, e.g. their shingles, in one array.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/mapping.h"
#include "sketch/set_overlap.h"

namespace kith::pairs {

// n sets of 64-bit hashes, one after the other; each ascending, each element once. A view.
class HashSets {
 public:
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
  HashSet operator[](size_t id) const { return elements_.subspan(offsets_[id], size_of(id)); }
  // Whether the elements are those of a mapped file.
  bool is_mapped() const { return mapping_ != nullptr; }
  // Copies a set into `buffer`; the resident set stays as it is (Mapping::copy()).
  // REQUIRES: is_mapped().
  HashSet copy(size_t id, std::vector<uint64_t>& buffer) const {
    buffer.resize(size_of(id));
    mapping_->copy(std::as_bytes((*this)[id]), std::as_writable_bytes(std::span(buffer)).data());
    return buffer;
  }

  // The sets [first, last) will not be read for a while: see Mapping::release().
  void release(size_t first, size_t last) const {
    if (mapping_ == nullptr || first >= last) return;
    mapping_->release(
        std::as_bytes(elements_.subspan(offsets_[first], offsets_[last] - offsets_[first])));
  }
  // The same of a part of a set.
  void release(HashSet part) const {
    if (mapping_ != nullptr && !part.empty()) mapping_->release(std::as_bytes(part));
  }

 private:
  std::span<const uint64_t> elements_;
  std::span<const uint64_t> offsets_;
  const Mapping* mapping_ = nullptr;
};

// overlap() of set a of the first and set b of the second, and whether they are equal. Of sets of
// many MiB no more than a MiB each is resident at a time. Thread-safe.
SetOverlap set_overlap(const HashSets& first, size_t a, const HashSets& second, size_t b);
bool same_set(const HashSets& first, size_t a, const HashSets& second, size_t b);

// Keeps the resident part of mapped sets that are read at random small. Thread-safe.
class ResidentSets {
 public:
  // most: bytes that may be resident; 0: any. The sets must outlive this object.
  ResidentSets(const HashSets& sets, uint64_t most)
      : sets_(sets),
        releases_(most != 0),
        most_(sets.elements() * sizeof(uint64_t) <= most ? 0 : most) {}
  ~ResidentSets() {
    if (releases_) sets_.release(0, sets_.size());
  }
  ResidentSets(const ResidentSets&) = delete;
  ResidentSets& operator=(const ResidentSets&) = delete;

  // To be called behind the reading of a set; may give all sets back.
  void touch(size_t id) {
    if (most_ == 0) return;
    const uint64_t bytes = sets_.size_of(id) * sizeof(uint64_t) + around;
    if (touched_.fetch_add(bytes, std::memory_order_relaxed) + bytes < most_) return;
    touched_.store(0, std::memory_order_relaxed);
    sets_.release(0, sets_.size());
  }
  void touch(size_t a, size_t b) {
    touch(a);
    touch(b);
  }

  // Whether all of the sets may be resident.
  bool holds_all() const { return most_ == 0; }

  // The kernel maps pages that are in its cache around the one that is read.
  static constexpr uint64_t around = 256u << 10;

 private:
  const HashSets& sets_;
  const bool releases_;  // at the end
  const uint64_t most_;  // 0: any
  std::atomic<uint64_t> touched_ = 0;
};

// Overlaps of sets that lie anywhere, with little of them resident. One for a thread, or for a
// piece of its work.
class OverlapReader {
 public:
  // Of a set of the first and one of the second, which are kept small by their ResidentSets. All
  // outlive this object.
  OverlapReader(const HashSets& first, ResidentSets& first_resident, const HashSets& second,
                ResidentSets& second_resident)
      : first_{first, first_resident, {}, SIZE_MAX},
        second_{second, second_resident, {}, SIZE_MAX} {}

  SetOverlap operator()(size_t a, size_t b);

 private:
  struct Side {
    const HashSets& sets;
    ResidentSets& resident;
    std::vector<uint64_t> buffer;
    size_t id;  // of the set in the buffer

    bool copies(size_t wanted) const;
    HashSet read(size_t wanted);
  };

  Side first_;
  Side second_;
};

}  // namespace kith::pairs
