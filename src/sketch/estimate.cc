#include "sketch/estimate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <boost/math/special_functions/beta.hpp>

#include "base/check.h"
#include "sketch/signature.h"
#include "sketch/simhash.h"

namespace kith::sketch {
double chance_of_agreement(uint32_t bits) {
  KITH_CHECK(bits >= 1 && bits <= 16);
  return std::ldexp(1.0, -static_cast<int>(bits));
}

double similarity_at_share(double share, double chance) {
  return std::clamp((share - chance) / (1.0 - chance), 0.0, 1.0);
}

Estimate share_bounds(uint64_t hits, uint64_t trials, double confidence) {
  KITH_CHECK(hits <= trials && confidence > 0.0 && confidence < 1.0);
  if (trials == 0) return {0.0, 0.0, 1.0};
  const auto x = static_cast<double>(hits);
  const auto n = static_cast<double>(trials);
  const double tail = (1.0 - confidence) / 2.0;
  // The quantiles of Beta(x, n - x + 1) and Beta(x + 1, n - x).
  const double lower = hits == 0 ? 0.0 : boost::math::ibeta_inv(x, n - x + 1.0, tail);
  const double upper = hits == trials ? 1.0 : boost::math::ibetac_inv(x + 1.0, n - x, tail);
  return {lower, x / n, upper};
}

Estimate known_share(uint64_t part, uint64_t whole) {
  const double share = whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  return {share, share, share};
}

Estimate estimate_similarity(uint32_t equal, uint32_t lanes, uint32_t bits, double confidence) {
  KITH_CHECK(lanes > 0);
  const double chance = chance_of_agreement(bits);
  const Estimate share = share_bounds(equal, lanes, confidence);
  return {similarity_at_share(share.lower, chance), similarity_at_share(share.value, chance),
          similarity_at_share(share.upper, chance)};
}

uint32_t min_equal(double similarity, uint32_t lanes, uint32_t bits, double miss) {
  KITH_CHECK(similarity >= 0.0 && similarity <= 1.0 && miss >= 0.0 && miss < 1.0);
  const double chance = chance_of_agreement(bits);
  const double share = similarity + (1.0 - similarity) * chance;
  if (share >= 1.0) return lanes;
  const double m = lanes;
  double below = 0.0;  // P(X < t)
  for (uint32_t t = 0; t < lanes; ++t) {
    const double x = t;
    below += std::exp(std::lgamma(m + 1.0) - std::lgamma(x + 1.0) - std::lgamma(m - x + 1.0) +
                      x * std::log(share) + (m - x) * std::log1p(-share));
    if (below > miss) return t;
  }
  return lanes;
}

// What the distance of two fingerprints says about their angle.
Estimate estimate_angle(uint32_t distance, double confidence) {
  KITH_CHECK(distance <= fingerprint_bits && confidence > 0.0 && confidence < 1.0);
  const double x = distance;
  const double n = fingerprint_bits;
  const double tail = (1.0 - confidence) / 2.0;
  // The quantiles of Beta(x, n - x + 1) and Beta(x + 1, n - x).
  const double lower = x == 0.0 ? 0.0 : boost::math::ibeta_inv(x, n - x + 1.0, tail);
  const double upper = x == n ? 1.0 : boost::math::ibetac_inv(x + 1.0, n - x, tail);
  constexpr double pi = std::numbers::pi;
  return {pi * lower, pi * x / n, pi * upper};
}

Estimate estimate_cosine(uint32_t distance, double confidence) {
  const Estimate angle = estimate_angle(distance, confidence);
  const auto cosine = [](double of) { return std::clamp(std::cos(of), 0.0, 1.0); };
  return {cosine(angle.upper), cosine(angle.value), cosine(angle.lower)};
}

}  // namespace kith::sketch
