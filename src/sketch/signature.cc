#include "sketch/signature.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "sketch/kernels/kernels.h"

namespace kith::sketch {
namespace {

constexpr uint32_t max_copies = block_size;  // so that every entry fits a block

}  // namespace

struct Sketcher::Impl {
  const MinimaKernels& kernels;
  Flattening flattening;
  std::vector<uint32_t> multipliers;
  std::vector<uint32_t> addends;

  LaneHashes hashes() const {
    return {multipliers.data(), addends.data(), static_cast<uint32_t>(multipliers.size())};
  }
};

Sketcher::Sketcher(const SketchOptions& options, SimdLevel level) {
  KITH_CHECK(are_lanes(options.lanes));
  KITH_CHECK(options.copies >= 1 && options.copies <= max_copies);
  Rng rng(options.seed);
  const uint64_t salt = rng();
  auto impl = std::make_unique<Impl>(Impl{kernels(level).minima, {salt, options.copies}, {}, {}});
  for (uint32_t lane = 0; lane < options.lanes; ++lane) {
    impl->multipliers.push_back(static_cast<uint32_t>(rng() >> 32) | 1);
    impl->addends.push_back(static_cast<uint32_t>(rng() >> 32));
  }
  impl_ = std::move(impl);
}

Sketcher::~Sketcher() = default;
Sketcher::Sketcher(Sketcher&&) noexcept = default;
Sketcher& Sketcher::operator=(Sketcher&&) noexcept = default;

uint32_t Sketcher::lanes() const {
  return impl_->hashes().lanes;
}

void Sketcher::sketch(Bag bag, std::span<uint16_t> signature) const {
  KITH_CHECK(signature.size() == lanes());
  if (bag.empty()) {
    std::ranges::fill(signature, uint16_t{0});
    return;
  }
  const MinimaKernels& kernels = impl_->kernels;
  const LaneHashes hashes = impl_->hashes();
  Block block;
  std::array<uint32_t, max_lanes> minima;
  std::fill_n(minima.begin(), hashes.lanes, ~uint32_t{0});
  while (!bag.empty()) {
    bag = bag.subspan(kernels.fill(impl_->flattening, bag, block));
    kernels.update(hashes, block, minima.data());
  }
  kernels.fold(minima.data(), hashes.lanes, signature.data());
}

void low_bytes(std::span<const uint16_t> values, std::span<uint8_t> bytes) {
  KITH_CHECK(values.size() == bytes.size());
  std::ranges::transform(values, bytes.begin(),
                         [](uint16_t value) { return static_cast<uint8_t>(value); });
}

void high_bytes(std::span<const uint16_t> values, std::span<uint8_t> bytes) {
  KITH_CHECK(values.size() == bytes.size());
  std::ranges::transform(values, bytes.begin(),
                         [](uint16_t value) { return static_cast<uint8_t>(value >> 8); });
}

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
