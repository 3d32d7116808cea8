// The hash functions of kith. All are fixed for ever: their values stand in files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

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

}  // namespace kith
