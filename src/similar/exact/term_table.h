// Numbers terms 0, 1, 2, ... in the order in which they are first inserted.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "similar/exact/question.h"
#include "sketch/bag.h"
#include "sketch/simd.h"

namespace kith::similar {

// A page table over term ids: two loads a look-up and no hashing, at most 8 MiB for the directory
// whatever the largest term id is, and 16 KiB for every 4096 neighbouring ids of which one is
// used. find() is thread-safe as long as nobody inserts.
class TermTable {
 public:
  static constexpr uint32_t none = UINT32_MAX;

  // What a table takes at most, in bytes: so many terms, all below `limit`.
  static constexpr uint64_t max_bytes(uint64_t terms, uint64_t limit) {
    const uint64_t pages = (limit >> page_bits) + 1;
    return std::min(terms, pages) * sizeof(Page) + 4 * pages * sizeof(Page*);
  }

  // What this one takes.
  uint64_t bytes() const {
    return owned_.size() * sizeof(Page) + (pages_.capacity() + owned_.capacity()) * sizeof(Page*);
  }

  // The number of terms inserted; all numbers are below it.
  uint32_t size() const { return size_; }

  // The number of a term, or none.
  uint32_t find(uint32_t term) const {
    const size_t page = term >> page_bits;
    return page < pages_.size() ? (*pages_[page])[term & page_mask] : none;
  }

  // The number of a term, which is made when the term is new.
  uint32_t insert(uint32_t term) {
    const size_t page = term >> page_bits;
    if (page >= pages_.size() || pages_[page] == &empty_page) add_page(page);
    uint32_t& number = (*pages_[page])[term & page_mask];
    if (number == none) number = size_++;
    return number;
  }

 private:
  static constexpr uint32_t page_bits = 12;
  static constexpr uint32_t page_mask = (1u << page_bits) - 1;
  using Page = std::array<uint32_t, size_t{1} << page_bits>;

  static Page empty_page;  // all none, never written

  void add_page(size_t page);

  std::vector<Page*> pages_;
  std::vector<std::unique_ptr<Page>> owned_;
  uint32_t size_ = 0;
};

// The most frequent terms of a collection as dense rows of bytes. Internal to this folder.

// A term that more than this share of the bags have is dense: adding a byte for every bag with
// vector instructions is then cheaper than going through the list of those that have it.
inline constexpr double dense_share = 1.0 / 32;
inline constexpr size_t max_dense_terms = 1024;

// A byte counts 2^11 units of weight, rounded up, and is at most 63, so that four of them add up
// within a byte. A weight w is stored as min(w, cap) here, and w - cap as a posting:
// min(a, b) = min(min(a, cap), min(b, cap)) + min(max(a, cap) - cap, max(b, cap) - cap).
inline constexpr uint32_t byte_shift = 11;
inline constexpr uint32_t byte_max = 63;
inline constexpr uint32_t byte_cap = byte_max << byte_shift;
inline constexpr uint32_t coarse_per_byte = 1u << (byte_shift - coarse_shift);

constexpr uint8_t byte_weight(uint32_t weight) {
  return static_cast<uint8_t>((std::min(weight, byte_cap) + (1u << byte_shift) - 1) >> byte_shift);
}
constexpr uint32_t excess_over_byte(uint32_t weight) {
  return weight > byte_cap ? weight - byte_cap : 0;
}

// Consecutive slots whose rows lie together: a cache line per row, so that the rows of a tile that
// a batch of queries needs stay in the L1 cache, and all of them in a small L2.
inline constexpr size_t tile_slots = 64;

// A dense term of a query: its row, and its weight.
struct DenseTerm {
  uint32_t row;
  uint8_t weight;
};

// rows x slots bytes, tile by tile. Immutable after the build, thread-safe.
class DenseRows {
 public:
  DenseRows() = default;
  DenseRows(size_t rows, size_t slots)
      : rows_(rows),
        tiles_((slots + tile_slots - 1) / tile_slots),
        bytes_(rows * tiles_ * tile_slots) {}

  size_t rows() const { return rows_; }
  void set(size_t row, size_t slot, uint8_t weight) {
    bytes_[(slot / tile_slots * rows_ + row) * tile_slots + slot % tile_slots] = weight;
  }
  // The rows of a tile, tile_slots bytes each.
  const uint8_t* tile(size_t tile) const { return bytes_.data() + tile * rows_ * tile_slots; }

 private:
  size_t rows_ = 0;
  size_t tiles_ = 0;
  std::vector<uint8_t> bytes_;
};

// sums[s] += coarse_per_byte * (the sum over the terms of min(weight, row[s])) for the slots of a
// tile, saturating at 65520 or above, which is more than any bag has. REQUIRES: sums has
// tile_slots values.
using AddDense = void (*)(const uint8_t* tile, std::span<const DenseTerm> terms, uint16_t* sums);
AddDense add_dense_kernel(sketch::SimdLevel level = sketch::best_simd_level());

}  // namespace kith::similar
