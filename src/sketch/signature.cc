#include "sketch/signature.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/check.h"
#include "base/rng.h"
#include "sketch/kernels/kernels.h"
#include "sketch/lanes.h"

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

}  // namespace kith::sketch
