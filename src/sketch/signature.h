// Signatures of lanes: equal values, their estimates and bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "kith/status.h"

#include "base/memory.h"
#include "sketch/bag.h"
#include "sketch/estimate.h"
#include "sketch/simd.h"

namespace kith::sketch {

// How many lanes a signature may have.
inline constexpr uint32_t max_lanes = 1024;

constexpr bool are_lanes(uint32_t lanes) {
  return lanes >= 16 && lanes <= max_lanes && lanes % 16 == 0;
}

// The lanes of a signature: an error of kind usage unless they are a multiple of 16 from 16 to
// max_lanes.
inline Status check_lanes(uint32_t lanes) {
  if (are_lanes(lanes)) return Status::ok();
  return Error{ErrorKind::usage,
               fmt::format("lanes = {}: must be a multiple of 16 from 16 to {}", lanes, max_lanes)};
}

// Min-wise signatures of weighted bags by dithered flattening (the paper, section 3.2;
// docs/algorithms/sketch.md). Pure.
struct SketchOptions {
  uint32_t lanes = 128;   // m, the number of minima: a multiple of 16 in [16, 1024]
  uint32_t copies = 100;  // S' in [1, 1024]: the copies that a bag of weight 100 is flattened to
  uint64_t seed = 0x6b697468;
};

// Makes signatures: m values of 16 bits, of which two bags share each lane with probability
// sim(u, v) (plus 2^-16 for chance, and a flattening error of at most about 1 / (4 S')). Immutable
// after construction and thread-safe. Every SIMD level gives the same bits.
class Sketcher {
 public:
  // REQUIRES: options in range, level supported by this processor.
  explicit Sketcher(const SketchOptions& options, SimdLevel level = best_simd_level());
  ~Sketcher();
  Sketcher(Sketcher&&) noexcept;
  Sketcher& operator=(Sketcher&&) noexcept;

  uint32_t lanes() const;

  // REQUIRES: signature.size() == lanes(). An empty bag gives all zeros. Uses 16 KiB of stack
  // and no other memory, whatever the size of the bag; time is linear in the entries and their
  // copies. Weights need not add up to bag_total; one above bag_total counts as bag_total.
  void sketch(Bag bag, std::span<uint16_t> signature) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

// The low byte of every value: makes a row of a SignaturePlane from a signature.
// REQUIRES: bytes.size() == values.size().
void low_bytes(std::span<const uint16_t> values, std::span<uint8_t> bytes);

// n signatures in one array, row by row. A view.
class Signatures {
 public:
  Signatures() = default;
  // `mapping`, if any, is what the values are mapped by, and outlives this object.
  Signatures(std::span<const uint16_t> values, uint32_t lanes, const Mapping* mapping = nullptr)
      : values_(values), lanes_(lanes), mapping_(mapping) {}
  size_t size() const { return lanes_ == 0 ? 0 : values_.size() / lanes_; }
  uint32_t lanes() const { return lanes_; }
  std::span<const uint16_t> values() const { return values_; }
  std::span<const uint16_t> operator[](size_t id) const {
    return values_.subspan(id * lanes_, lanes_);
  }

  // Row `id`, for rows that lie anywhere: a view where they stay, else of a copy in `buffer`, which
  // has room for lanes() values, so that the resident set does not grow (Mapping::copy()).
  std::span<const uint16_t> read(size_t id, std::span<uint16_t> buffer) const {
    const std::span<const uint16_t> row = (*this)[id];
    if (mapping_ == nullptr) return row;
    mapping_->copy(std::as_bytes(row), std::as_writable_bytes(buffer).data());
    return buffer.first(lanes_);
  }

  // The rows [first, last) will not be read for a while: see Mapping::release().
  void release(size_t first, size_t last) const {
    if (mapping_ == nullptr || first == last) return;
    mapping_->release(std::as_bytes(values_.subspan(first * lanes_, (last - first) * lanes_)));
  }
  // From now on release() has no effect: for what is small against the memory.
  void stay() { mapping_ = nullptr; }

 private:
  std::span<const uint16_t> values_;
  uint32_t lanes_ = 0;
  const Mapping* mapping_ = nullptr;
};

// The low byte of every lane: the 8-bit plane that verification compares first. A view.
class SignaturePlane {
 public:
  SignaturePlane() = default;
  SignaturePlane(std::span<const uint8_t> values, uint32_t lanes)
      : values_(values), lanes_(lanes) {}
  size_t size() const { return lanes_ == 0 ? 0 : values_.size() / lanes_; }
  uint32_t lanes() const { return lanes_; }
  std::span<const uint8_t> operator[](size_t id) const {
    return values_.subspan(id * lanes_, lanes_);
  }

 private:
  std::span<const uint8_t> values_;
  uint32_t lanes_ = 0;
};

// The number of equal values at equal positions; both rows have the same length. The SIMD
// level is chosen once per process; *_scalar is its twin.
uint32_t count_equal(std::span<const uint8_t> a, std::span<const uint8_t> b);
uint32_t count_equal_scalar(std::span<const uint8_t> a, std::span<const uint8_t> b);
// Of whole values, where few rows are compared.
uint32_t count_equal(std::span<const uint16_t> a, std::span<const uint16_t> b);

// The same for loops that cannot afford a check per call: fetch the kernel once, call it with
// rows of `size` bytes. REQUIRES: level supported by this processor.
using CountEqualKernel = uint32_t (*)(const uint8_t* a, const uint8_t* b, size_t size);
CountEqualKernel count_equal_kernel(SimdLevel level = best_simd_level());

// For loops over rows that lie side by side in cache: as count_equal_kernel, without checks.
struct RowKernels {
  // Writes the numbers, ascending, of those of `count` rows of `size` bytes that have at least
  // `least` bytes equal to `row`; returns how many. `selected` has room for `count`.
  size_t (*select)(const uint8_t* row, const uint8_t* rows, size_t size, size_t count,
                   uint32_t least, uint32_t* selected);
  // Bit i % 64 of words[i / 64] says whether a[i] == b[i]; bits from `size` on are 0.
  void (*equal_bits)(const uint8_t* a, const uint8_t* b, size_t size, uint64_t* words);
};
const RowKernels& row_kernels(SimdLevel level = best_simd_level());

// The high byte of every value: with low_bytes(), all of a signature.
void high_bytes(std::span<const uint16_t> values, std::span<uint8_t> bytes);

// What a number of equal values says about the similarity: (X / m - 2^-b) / (1 - 2^-b), cut to
// [0, 1], for X = equal of m = lanes values of b = bits bits (1 to 16). The bounds are those of
// share_bounds(), corrected for b. REQUIRES: lanes > 0, equal <= lanes, confidence in (0, 1).
Estimate estimate_similarity(uint32_t equal, uint32_t lanes, uint32_t bits, double confidence);

// The bits of every lane that joins compare first.
inline constexpr uint32_t plane_bits = 8;

// The largest t in [0, m] such that P(X < t) <= miss for X ~ Bin(m, s + (1 - s) 2^-b), with
// s = similarity in [0, 1], m = lanes, b = bits (1 to 16), miss in [0, 1). A pair of
// similarity s or more has count_equal < t with a probability of at most `miss`, so dropping
// the pairs with count_equal < t loses at most that share of the true ones. t = 0 drops none.
uint32_t min_equal(double similarity, uint32_t lanes, uint32_t bits, double miss);

// b-bit MinHash: the low b bits of every value of a signature, packed (Li and Koenig, "b-Bit
// Minwise Hashing", WWW 2010; docs/algorithms/near-duplicates.md). Pure.

// A packed signature is b planes of m bits, m / 8 bytes each: bit L % 8 of byte L / 8 of plane p is
// bit p of the value of lane L. So any b from 1 to 8 is compared by whole words, without a shift.
inline constexpr uint32_t max_packed_bits = 8;

// The bytes of a packed signature. REQUIRES: lanes % 8 == 0, bits in [1, 8].
constexpr size_t packed_size(uint32_t lanes, uint32_t bits) {
  return size_t{lanes} / 8 * bits;
}

// REQUIRES: bits in [1, 8], signature.size() % 8 == 0, packed.size() == packed_size(...).
void pack_signature(std::span<const uint16_t> signature, uint32_t bits, std::span<uint8_t> packed);

// The lanes that agree in all their b bits: X for estimate_similarity(X, m, b, confidence).
// REQUIRES: both of packed_size(lanes, bits).
uint32_t count_equal_packed(std::span<const uint8_t> a, std::span<const uint8_t> b, uint32_t lanes,
                            uint32_t bits);

}  // namespace kith::sketch
