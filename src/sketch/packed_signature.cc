#include "sketch/packed_signature.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"

namespace kith::sketch {
namespace {

void check_shape(size_t bytes, uint32_t lanes, uint32_t bits) {
  KITH_CHECK(bits >= 1 && bits <= max_packed_bits && lanes % 8 == 0);
  KITH_CHECK(bytes == packed_size(lanes, bits));
}

// Up to 8 bytes, the rest zero.
uint64_t load(const uint8_t* bytes, size_t count) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, count);
  return word;
}

}  // namespace

void pack_signature(std::span<const uint16_t> signature, uint32_t bits, std::span<uint8_t> packed) {
  const auto lanes = static_cast<uint32_t>(signature.size());
  check_shape(packed.size(), lanes, bits);
  std::ranges::fill(packed, uint8_t{0});
  for (uint32_t plane = 0; plane < bits; ++plane) {
    uint8_t* const bytes = packed.data() + packed_size(lanes, plane);
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      bytes[lane / 8] |= static_cast<uint8_t>((signature[lane] >> plane & 1) << lane % 8);
    }
  }
}

uint32_t count_equal_packed(std::span<const uint8_t> a, std::span<const uint8_t> b, uint32_t lanes,
                            uint32_t bits) {
  check_shape(a.size(), lanes, bits);
  check_shape(b.size(), lanes, bits);
  const size_t plane_bytes = packed_size(lanes, 1);
  uint32_t different = 0;
  for (size_t at = 0; at < plane_bytes; at += sizeof(uint64_t)) {
    const size_t count = std::min(sizeof(uint64_t), plane_bytes - at);
    uint64_t differs = 0;
    for (size_t plane = 0; plane < a.size(); plane += plane_bytes) {
      differs |= load(a.data() + plane + at, count) ^ load(b.data() + plane + at, count);
    }
    different += static_cast<uint32_t>(std::popcount(differs));
  }
  return lanes - different;
}

}  // namespace kith::sketch
