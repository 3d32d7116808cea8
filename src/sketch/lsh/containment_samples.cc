#include "sketch/lsh/containment_samples.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <boost/math/special_functions/beta.hpp>

#include "base/check.h"

namespace kith::sketch {
namespace {

// Twice as many as bring one common sample with the chance that is wanted.
uint32_t enough_samples(double similarity, double recall) {
  constexpr double least = 32;
  constexpr double most = 1 << 20;
  const double one = similarity < 1 ? std::log1p(-recall) / std::log1p(-similarity) : 1;
  return std::bit_ceil(static_cast<uint32_t>(std::clamp(std::ceil(2 * one), least, most)));
}

// P(Bin(n, p) >= t), 0 < t <= n.
double tail(uint32_t n, double p, uint32_t t) {
  return boost::math::ibeta(static_cast<double>(t), static_cast<double>(n - t) + 1, p);
}

}  // namespace

ContainmentSamples::ContainmentSamples(double similarity, double recall)
    : similarity_(similarity),
      recall_(recall),
      min_samples_(enough_samples(similarity, recall)),
      quantiles_(4 * size_t{min_samples_} + 1, 1) {
  KITH_CHECK(similarity > 0 && similarity <= 1 && recall > 0 && recall < 1);
  // One more sample makes it no smaller.
  for (uint32_t n = 2; n < quantiles_.size(); ++n) quantiles_[n] = quantile(n, quantiles_[n - 1]);
}

uint32_t ContainmentSamples::level(uint64_t elements) const {
  const auto size_class = static_cast<uint32_t>(std::bit_width(elements));
  const auto sample_class = static_cast<uint32_t>(std::bit_width(min_samples_));
  return size_class > sample_class ? size_class - sample_class : 0;
}

void ContainmentSamples::sample(HashSet set, uint32_t level, std::vector<uint64_t>& samples) {
  const uint64_t low = (uint64_t{1} << level) - 1;
  samples.clear();
  std::ranges::copy_if(set, std::back_inserter(samples),
                       [&](uint64_t element) { return (element & low) == 0; });
}

uint32_t ContainmentSamples::quantile(uint32_t samples, uint32_t first) const {
  uint32_t t = first;
  while (t < samples && tail(samples, similarity_, t + 1) >= recall_) ++t;
  return t;
}

uint32_t ContainmentSamples::min_common(uint32_t samples, uint32_t level) const {
  KITH_CHECK(samples > 0);
  if (level > 0) {
    return samples < quantiles_.size() ? quantiles_[samples] : quantile(samples, quantiles_.back());
  }
  // The product may be rounded to either side of the quotient that decides.
  auto t = static_cast<uint32_t>(similarity_ * samples);
  const auto is_enough = [&](uint32_t common) {
    return SetOverlap{samples, samples, common}.containment_of_a() >= similarity_;
  };
  while (t > 1 && is_enough(t - 1)) --t;
  while (t < 1 || !is_enough(t)) ++t;
  return t;
}

}  // namespace kith::sketch
