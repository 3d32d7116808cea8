// From fingerprints back to their places in a sorted list. Internal to this folder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kith::pairs::internal {

// A directory by leading bits, then binary search. Immutable, thread-safe.
class FingerprintPlaces {
 public:
  // fingerprints: strictly ascending, fewer than 2^32, outlive this object.
  explicit FingerprintPlaces(std::span<const uint64_t> fingerprints);

  // Bytes that it takes for n fingerprints: at most a quarter of one each, or 16 KiB.
  static uint64_t bytes(uint64_t n);

  // REQUIRES: it is one of the fingerprints.
  uint32_t operator[](uint64_t fingerprint) const;

 private:
  std::span<const uint64_t> fingerprints_;
  uint32_t shift_;
  std::vector<uint32_t> begins_;  // by leading bits: the first place that has them or greater ones
};

}  // namespace kith::pairs::internal
