// The weighted bag, and the exact similarity that everything else estimates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/memory.h"

namespace kith::sketch {

// The weighted bag, and the exact similarity that everything else estimates (the paper, section
// 3.1; docs/algorithms/sketch.md).

// Weights are integers, so that sums do not depend on the order of addition and a
// similarity is the same on every machine. One unit is 2^-16 of the paper's unit, in which
// the weights of a bag add up to S = 100.
inline constexpr uint32_t weight_one = 1u << 16;
inline constexpr uint32_t bag_total = 100 * weight_one;

struct BagEntry {
  uint32_t term;    // term id; ascending within a bag, each once
  uint32_t weight;  // > 0, in units of 1 / weight_one
  friend bool operator==(const BagEntry&, const BagEntry&) = default;
};

// A bag is a view. Its weights add up to bag_total exactly, or it has no entries.
using Bag = std::span<const BagEntry>;

using BagBuffer = ReadBuffer<BagEntry>;

// Some bags of a collection, side by side: a view, of which each is asked for by its id.
class BagBlock {
 public:
  // offsets: of the whole collection; entries: of the bags that begin with entry `begin` of it.
  BagBlock(std::span<const uint64_t> offsets, std::span<const BagEntry> entries, uint64_t begin)
      : offsets_(offsets), entries_(entries), begin_(begin) {}

  // REQUIRES: the bag is one of the block.
  Bag operator[](size_t id) const {
    return entries_.subspan(offsets_[id] - begin_, offsets_[id + 1] - offsets_[id]);
  }

 private:
  std::span<const uint64_t> offsets_;
  std::span<const BagEntry> entries_;
  uint64_t begin_;
};

// A read-only collection of n bags, indexed by URL id in [0, n). It does not own the arrays.
class BagCollection {
 public:
  BagCollection() = default;
  // offsets has n + 1 ascending values; bag i is entries[offsets[i], offsets[i + 1]).
  // `mapping`, if any, is what the entries are mapped by, and outlives this object.
  BagCollection(std::span<const uint64_t> offsets, std::span<const BagEntry> entries,
                const Mapping* mapping = nullptr)
      : offsets_(offsets), entries_(entries), mapping_(mapping) {}

  size_t size() const { return offsets_.empty() ? 0 : offsets_.size() - 1; }
  Bag operator[](size_t id) const {
    return entries_.subspan(offsets_[id], offsets_[id + 1] - offsets_[id]);
  }
  // Both have no effect but that a bag may be read faster soon: where it lies, and some time later
  // what it has.
  void prefetch_place(size_t id) const { prefetch(offsets_.subspan(id, 2)); }
  void prefetch_entries(size_t id) const { prefetch((*this)[id]); }
  std::span<const BagEntry> entries() const { return entries_; }
  std::span<const uint64_t> offsets() const { return offsets_; }

  // Bag `id`, for bags that lie anywhere: a view where they stay, else of a copy in `buffer`, so
  // that the resident set does not grow (Mapping::copy()).
  Bag read(size_t id, std::vector<BagEntry>& buffer) const {
    const Bag bag = (*this)[id];
    if (mapping_ == nullptr || bag.empty()) return bag;
    buffer.resize(bag.size());
    mapping_->copy(std::as_bytes(bag), std::as_writable_bytes(std::span(buffer)).data());
    return buffer;
  }
  // The bags [first, last), for a pass over all of them: a view where they stay, else of a copy in
  // `buffer`, valid until the next read into it; likewise without resident pages.
  BagBlock block(size_t first, size_t last, BagBuffer& buffer) const {
    const auto entries = entries_.subspan(offsets_[first], offsets_[last] - offsets_[first]);
    if (mapping_ == nullptr || entries.empty()) return {offsets_, entries, offsets_[first]};
    const std::span<BagEntry> copy = buffer.room_for(entries.size());
    mapping_->copy(std::as_bytes(entries), std::as_writable_bytes(copy).data());
    return {offsets_, copy, offsets_[first]};
  }
  // How many bags have so many bytes, on average; at least 1.
  size_t bags_in(uint64_t bytes) const {
    const uint64_t mean = entries_.size_bytes() / std::max<size_t>(1, size()) + 1;
    return std::max<uint64_t>(1, bytes / mean);
  }

  // The bags [first, last) will not be read for a while: see Mapping::release().
  void release(size_t first, size_t last) const {
    if (mapping_ == nullptr || first == last) return;
    mapping_->release(
        std::as_bytes(entries_.subspan(offsets_[first], offsets_[last] - offsets_[first])));
  }
  // From now on release() has no effect: for what is small against the memory.
  void stay() { mapping_ = nullptr; }

 private:
  std::span<const uint64_t> offsets_;
  std::span<const BagEntry> entries_;
  const Mapping* mapping_ = nullptr;
};

// A = the sum over common terms of the smaller weight, in [0, bag_total].
uint32_t sum_of_minima(Bag a, Bag b);

// sim = A / (2S - A), for two bags whose weights each add up to S = bag_total: the
// intersection over the union of the multisets, in [0, 1].
constexpr double similarity_of(uint32_t sum_of_minima) {
  return static_cast<double>(sum_of_minima) / (2.0 * bag_total - sum_of_minima);
}

// 0 when either bag is empty.
inline double similarity(Bag a, Bag b) {
  return similarity_of(sum_of_minima(a, b));
}

// The least A whose similarity_of is at least `similarity` in (0, 1]. Comparing A with it is
// how every engine decides "similar", so that all of them agree to the last bit.
uint32_t min_sum_of_minima(double similarity);

// A bag as it travels between machines.

// The entries of a bag, each a term in the low half and its weight in the high one. False, with
// some of them written, for what is no bag: terms ascend, and the weights, above 0, add up to
// bag_total, unless there is none. REQUIRES: as many entries as are packed.
[[nodiscard]] bool unpack_bag(std::span<const uint64_t> packed, std::span<BagEntry> entries);

}  // namespace kith::sketch
