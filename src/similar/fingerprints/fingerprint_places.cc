#include "similar/fingerprints/fingerprint_places.h"

#include <algorithm>
#include <bit>

namespace kith::similar {
namespace {

constexpr uint32_t min_bits = 8;
constexpr uint64_t places_per_cell = 32;

uint32_t directory_bits(uint64_t n, uint64_t most) {
  const auto wanted = static_cast<uint32_t>(std::bit_width(n / places_per_cell));
  const uint64_t cells = std::max<uint64_t>(most / sizeof(uint32_t), 1);
  const auto allowed = static_cast<uint32_t>(std::bit_width(cells)) - 1;
  return std::max(min_bits, std::min(wanted, allowed));
}

}  // namespace

uint64_t FingerprintPlaces::bytes(uint64_t n, uint64_t most) {
  return sizeof(uint32_t) << directory_bits(n, most);
}

FingerprintPlaces::FingerprintPlaces(std::span<const uint64_t> fingerprints, uint64_t most,
                                     const Mapping* mapping)
    : fingerprints_(fingerprints),
      shift_(64 - directory_bits(fingerprints.size(), most)),
      begins_((size_t{1} << (64 - shift_)) + 1) {
  for (auto rest = fingerprints; !rest.empty();) {
    const auto block = rest.first(std::min(rest.size(), released_at_once));
    for (const uint64_t fingerprint : block) ++begins_[(fingerprint >> shift_) + 1];
    if (mapping != nullptr) mapping->release(std::as_bytes(block));
    rest = rest.subspan(block.size());
  }
  for (size_t cell = 1; cell < begins_.size(); ++cell) begins_[cell] += begins_[cell - 1];
}

uint32_t FingerprintPlaces::operator[](uint64_t fingerprint) const {
  const size_t cell = fingerprint >> shift_;
  const auto begin = fingerprints_.begin() + begins_[cell];
  const auto end = fingerprints_.begin() + begins_[cell + 1];
  return static_cast<uint32_t>(std::lower_bound(begin, end, fingerprint) - fingerprints_.begin());
}

}  // namespace kith::similar
