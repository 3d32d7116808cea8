#include "sketch/minhash.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <boost/math/special_functions/beta.hpp>

#include "base/check.h"
#include "base/hash.h"
#include "base/random.h"
#include "sketch/kernels/kernels.h"
#include "sketch/set_sketches.h"
#include "sketch/signature.h"

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

namespace {

constexpr uint32_t value_bits = 16;
constexpr size_t values_per_word = 4;
// Four values are mixed at a time: a bijection of them, so that nothing is lost up to s = 4.
uint64_t key_of(std::span<const uint16_t> values, uint64_t number) {
  uint64_t key = mix64((number + 1) * golden);
  for (size_t first = 0; first < values.size(); first += values_per_word) {
    uint64_t word = 0;
    for (const uint16_t value :
         values.subspan(first, std::min(values_per_word, values.size() - first))) {
      word = word << value_bits | value;
    }
    key = mix64(key ^ word);
  }
  return key;
}

}  // namespace

void super_shingles(std::span<const uint16_t> signature, uint32_t s, uint32_t first,
                    std::span<uint64_t> keys) {
  KITH_CHECK(s > 0 && (first + keys.size()) * s <= signature.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    const size_t number = first + i;
    keys[i] = key_of(signature.subspan(number * s, s), number);
  }
}

double super_shingle_probability(double resemblance, uint32_t s) {
  const double chance = chance_of_agreement(value_bits);
  return std::pow(resemblance + (1.0 - resemblance) * chance, s);
}

double shared_super_shingles_probability(double resemblance, uint32_t s, uint32_t groups,
                                         uint32_t least) {
  if (least > groups) return 0.0;
  if (least == 0) return 1.0;
  // P(X >= k) for X ~ Bin(n, p) is the regularised beta function I_p(k, n - k + 1).
  return boost::math::ibeta(least, groups - least + 1.0, super_shingle_probability(resemblance, s));
}

Estimate estimate_from_super_shingles(uint32_t equal, uint32_t groups, uint32_t s,
                                      double confidence) {
  KITH_CHECK(groups > 0 && s > 0);
  const double chance = chance_of_agreement(value_bits);
  const auto resemblance = [&](double share) {
    return similarity_at_share(std::pow(share, 1.0 / s), chance);
  };
  const Estimate share = share_bounds(equal, groups, confidence);
  return {resemblance(share.lower), resemblance(share.value), resemblance(share.upper)};
}

}  // namespace kith::sketch
