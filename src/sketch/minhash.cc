#include "sketch/minhash.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/check.h"
#include "base/rng.h"
#include "sketch/fast_sketch.h"
#include "sketch/kernels/kernels.h"
#include "sketch/lanes.h"

namespace kith::sketch {

struct SetSketcher::Impl {
  SetSketchOptions options;
  const Kernels& kernels;
  std::vector<uint32_t> multipliers;  // odd; of the family `lanes`
  FastSketch bins;                    // of the other
};

SetSketcher::SetSketcher(const SetSketchOptions& options, SimdLevel level) {
  KITH_CHECK(are_lanes(options.lanes));
  Rng rng(options.seed);
  const uint64_t salt = rng();
  std::vector<uint32_t> multipliers;
  for (uint32_t lane = 0; lane < options.lanes; ++lane) {
    multipliers.push_back(static_cast<uint32_t>(rng() >> 32) | 1);
  }
  impl_ = std::make_unique<Impl>(Impl{options, kernels(level), std::move(multipliers),
                                      FastSketch(options.lanes, salt, kernels(level))});
}

SetSketcher::~SetSketcher() = default;
SetSketcher::SetSketcher(SetSketcher&&) noexcept = default;
SetSketcher& SetSketcher::operator=(SetSketcher&&) noexcept = default;

const SetSketchOptions& SetSketcher::options() const {
  return impl_->options;
}

void SetSketcher::sketch(std::span<const uint64_t> elements, std::span<uint16_t> signature) const {
  KITH_CHECK(signature.size() == lanes());
  if (elements.empty()) {
    std::ranges::fill(signature, uint16_t{0});
    return;
  }
  std::array<uint32_t, max_lanes> values;
  if (impl_->options.family == MinHashFamily::bins) {
    impl_->bins.sketch(elements, values.data());
  } else {
    std::fill_n(values.begin(), lanes(), uint32_t{0});
    impl_->kernels.minhash(impl_->multipliers.data(), lanes(), elements, values.data());
  }
  impl_->kernels.minima.fold(values.data(), lanes(), signature.data());
}

}  // namespace kith::sketch
