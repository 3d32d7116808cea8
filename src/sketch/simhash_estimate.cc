// What the distance of two fingerprints says about their angle.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <boost/math/special_functions/beta.hpp>

#include "base/check.h"
#include "sketch/simhash.h"

namespace kith::sketch {

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
