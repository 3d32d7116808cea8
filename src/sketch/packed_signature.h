// b-bit MinHash: the low b bits of every value of a signature, packed (Li and Koenig, "b-Bit
// Minwise Hashing", WWW 2010; docs/algorithms/near-duplicates.md). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace kith::sketch {

// A packed signature is b planes of m bits, m / 8 bytes each: bit L % 8 of byte L / 8 of plane p is
// bit p of the value of lane L. So any b from 1 to 8 is compared by whole words, without a shift.
inline constexpr uint32_t max_packed_bits = 8;

// The bytes of a packed signature. REQUIRES: lanes % 8 == 0, bits in [1, 8].
constexpr size_t packed_size(uint32_t lanes, uint32_t bits) {
  return size_t{lanes} / 8 * bits;
}

// REQUIRES: bits in [1, 8], signature.size() % 8 == 0, packed.size() == packed_size(...).
void pack_signature(std::span<const uint16_t> signature, uint32_t bits, std::span<uint8_t> packed);

// The lanes that agree in all their b bits: X for estimate_similarity(X, m, b, confidence) of
// sketch/signature.h. REQUIRES: both of packed_size(lanes, bits).
uint32_t count_equal_packed(std::span<const uint8_t> a, std::span<const uint8_t> b, uint32_t lanes,
                            uint32_t bits);

}  // namespace kith::sketch
