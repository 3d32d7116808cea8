// From fingerprints back to their places in a sorted list. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/mapping.h"

namespace kith::similar {

inline constexpr size_t released_at_once = size_t{1} << 17;  // fingerprints that have been read

// A directory by leading bits, then binary search. Immutable, thread-safe.
class FingerprintPlaces {
 public:
  // The bytes of the directory for n fingerprints: about an eighth to a quarter of a byte each, not
  // above `most` nor below 1 KiB.
  static uint64_t bytes(uint64_t n, uint64_t most);

  // fingerprints: strictly ascending, fewer than 2^32, outlive this object. They are read once;
  // what has been read is released if `mapping` is not null. `most` as in bytes().
  FingerprintPlaces(std::span<const uint64_t> fingerprints, uint64_t most, const Mapping* mapping);

  // REQUIRES: it is one of the fingerprints.
  uint32_t operator[](uint64_t fingerprint) const;

 private:
  std::span<const uint64_t> fingerprints_;
  uint32_t shift_;
  std::vector<uint32_t> begins_;  // by leading bits: the first place that has them or greater ones
};

}  // namespace kith::similar
