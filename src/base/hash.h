// The hash functions of kith. All are fixed for ever: their values stand in files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/memory.h"

namespace kith {

// 2^64 by the golden ratio, odd: its multiples are spread evenly (the step of SplitMix64).
inline constexpr uint64_t golden = 0x9e3779b97f4a7c15;

// A bijection of 64-bit integers with full avalanche (the finaliser "mix13" of D. Stafford's
// study, as in SplitMix64). Use it to premix ids before any linear hash.
constexpr uint64_t mix64(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// 128 bits that identify a byte string: two different strings among 20 million share one
// with a probability under 1e-24, so equality of keys is taken for equality of strings.
struct Key128 {
  uint64_t high = 0;
  uint64_t low = 0;
  friend auto operator<=>(const Key128&, const Key128&) = default;
};

// For hash tables of keys: their bits are a hash already.
struct Key128Hash {
  using is_avalanching = void;
  size_t operator()(const Key128& key) const { return key.low; }
};

// XXH3 with seed 0.
uint64_t hash64(std::string_view bytes);
uint64_t hash64(std::span<const std::byte> bytes);
Key128 hash128(std::string_view bytes);

// XXH3-64 of bytes that arrive in pieces; equal to hash64 of their concatenation.
class StreamHash {
 public:
  StreamHash();
  ~StreamHash();
  StreamHash(StreamHash&& other) noexcept;
  StreamHash& operator=(StreamHash&& other) noexcept;

  void update(std::span<const std::byte> bytes);
  uint64_t digest() const;

 private:
  void* state_;
};

// From hashes to numbers of 32 bits, in little memory.

// An open hash table with linear probing, of 8 bytes a slot, four fifths of which are taken at
// most. It keeps the upper half of a hash, its tag: whether a number belongs to what is looked for
// is asked of the caller, or is taken for granted. Numbers are below 2^32 - 1. Not thread-safe
// while it changes.
class TagTable {
 public:
  uint64_t size() const { return size_; }
  uint64_t bytes() const { return slots_.size() * sizeof(Slot); }

  // A number with that tag of which is_it(number) is true.
  template <class IsIt>
  std::optional<uint32_t> find(uint64_t hash, IsIt&& is_it) const {
    if (size_ == 0) return std::nullopt;
    const uint32_t tag = tag_of(hash);
    for (size_t at = home(tag); slots_[at].taken != 0; at = after(at)) {
      if (slots_[at].tag == tag && is_it(slots_[at].taken - 1)) return slots_[at].taken - 1;
    }
    return std::nullopt;
  }
  // Has no effect but that the hash may be found faster soon.
  void prefetch(uint64_t hash) const {
    if (size_ > 0) __builtin_prefetch(&slots_[home(tag_of(hash))]);
  }

  // Makes room, so that the next `more` calls of add() and replace() do not fail.
  void reserve(uint64_t more) {
    if (size_ + more <= most()) return;
    // By a quarter at least: a table that is twice as large would be half empty.
    constexpr uint64_t fewest = 64;
    grow(std::max({fewest, slots_.size() / 4 * 5, (size_ + more) / 4 * 5 + 5}));
  }
  void add(uint64_t hash, uint32_t number) {
    reserve(1);
    insert({tag_of(hash), number + 1});
    ++size_;
  }
  // Puts a number in the place of the one with the same tag, which it returns; adds it when there
  // is none.
  std::optional<uint32_t> replace(uint64_t hash, uint32_t number) {
    reserve(1);
    const uint32_t tag = tag_of(hash);
    size_t at = home(tag);
    while (slots_[at].taken != 0 && slots_[at].tag != tag) at = after(at);
    const Slot before = std::exchange(slots_[at], Slot{tag, number + 1});
    if (before.taken != 0) return before.taken - 1;
    ++size_;
    return std::nullopt;
  }
  // REQUIRES: the number was added with that hash.
  void remove(uint64_t hash, uint32_t number);

 private:
  struct Slot {
    uint32_t tag;
    uint32_t taken;  // 0: free; else the number, plus one
  };

  static uint32_t tag_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }
  // Where the search for a tag begins: greater tags further behind, so that a table that grows is
  // read and written in order.
  size_t home(uint32_t tag) const { return (uint64_t{tag} * slots_.size()) >> 32; }
  size_t after(size_t slot) const { return slot + 1 == slots_.size() ? 0 : slot + 1; }
  uint64_t most() const { return slots_.size() / 5 * 4; }
  void insert(Slot slot) {
    size_t at = home(slot.tag);
    while (slots_[at].taken != 0) at = after(at);
    slots_[at] = slot;
  }
  void grow(size_t slots);

  LargeArray<Slot> slots_;
  uint64_t size_ = 0;
};

// Sorting of 64-bit hashes: a few thousand of them per document, many million documents.

// Sorts ascending. Values spread evenly over 64 bits, as hashes are, take linear time; any others,
// and those of very large documents, no more than std::sort. Keeps its memory (about 9 bytes a
// value, at most 3 MiB) for the next call. One instance per worker; not thread-safe.
class HashSorter {
 public:
  void sort(std::vector<uint64_t>& values);

 private:
  std::vector<uint64_t> sorted_;
  std::vector<uint32_t> bucket_at_;
};

}  // namespace kith
