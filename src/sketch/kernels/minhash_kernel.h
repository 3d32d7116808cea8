// The inner loop of SetSketcher: what all SIMD levels share. Internal to src/sketch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace kith::sketch {

// Lanes come in blocks of 32. An element of halves (low, high) has in lane L of the first half of
// a block the value multiplier[L] * low mod 2^32, and in lane L + 16 that value + high: any two
// lanes of an element are independent, and half of the multiplications are saved. Only four
// lanes L, L + 16, K, K + 16 together are not. The last block may be a first half alone.
//
// Kept is the largest value, not the smallest: by symmetry it does not matter, but the one element
// of 2^32 whose low half is zero then loses in its lanes instead of winning all of them.
inline constexpr uint32_t half_block = 16;

// maxima[L] = max(maxima[L], the value in lane L of every element), for all `lanes` lanes, a
// multiple of 16. Lanes that are computed by addition do not use their multiplier.
using MinHashUpdate = void (*)(const uint32_t* multipliers, uint32_t lanes,
                               std::span<const uint64_t> elements, uint32_t* maxima);

// The halves of an element, read from memory one by one: a vector of copies comes out of a load of
// 32 bits for nothing, but takes two operations out of a register. Little-endian.
inline uint32_t low_half(const uint64_t& element) {
  uint32_t half;
  std::memcpy(&half, &element, sizeof half);
  return half;
}
inline uint32_t high_half(const uint64_t& element) {
  uint32_t half;
  std::memcpy(&half, reinterpret_cast<const char*>(&element) + sizeof half, sizeof half);
  return half;
}

}  // namespace kith::sketch
