#include "pairs/fingerprint_places.h"

#include <algorithm>
#include <bit>

namespace kith::pairs::internal {
namespace {

constexpr uint32_t least_bits = 8;
constexpr uint64_t places_a_cell = 32;

uint32_t directory_bits(uint64_t n) {
  return std::max(least_bits, static_cast<uint32_t>(std::bit_width(n / places_a_cell)));
}

}  // namespace

uint64_t FingerprintPlaces::bytes(uint64_t n) {
  return ((uint64_t{1} << directory_bits(n)) + 1) * sizeof(uint32_t);
}

FingerprintPlaces::FingerprintPlaces(std::span<const uint64_t> fingerprints)
    : fingerprints_(fingerprints),
      shift_(64 - directory_bits(fingerprints.size())),
      begins_((size_t{1} << (64 - shift_)) + 1) {
  for (const uint64_t fingerprint : fingerprints) ++begins_[(fingerprint >> shift_) + 1];
  for (size_t cell = 1; cell < begins_.size(); ++cell) begins_[cell] += begins_[cell - 1];
}

uint32_t FingerprintPlaces::operator[](uint64_t fingerprint) const {
  const size_t cell = fingerprint >> shift_;
  const auto begin = fingerprints_.begin() + begins_[cell];
  const auto end = fingerprints_.begin() + begins_[cell + 1];
  return static_cast<uint32_t>(std::lower_bound(begin, end, fingerprint) - fingerprints_.begin());
}

}  // namespace kith::pairs::internal
