#include "sketch/lsh/duplicate_curves.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/check.h"
#include "sketch/lsh/binomial.h"
#include "sketch/lsh/curve_parts.h"
#include "sketch/simhash.h"
#include "sketch/super_shingles.h"

namespace kith::sketch {

CurveAreas super_shingle_curve_areas(double threshold, uint32_t minima, uint32_t groups,
                                     uint32_t least) {
  KITH_CHECK(threshold >= 0.0 && threshold <= 1.0 && minima > 0 && least > 0 && least <= groups);
  const auto hit = [&](double s) {
    return shared_super_shingles_probability(s, minima, groups, least);
  };
  const auto miss = [&](double s) { return 1.0 - hit(s); };
  return {integral(0.0, threshold, hit), integral(threshold, 1.0, miss)};
}

double near_fingerprint_probability(double cosine, uint32_t distance) {
  const double differ = std::acos(std::clamp(cosine, 0.0, 1.0)) / std::numbers::pi;
  const std::vector<double> chances = binomial_distribution(fingerprint_bits, differ);
  double sum = 0.0;
  for (uint32_t d = 0; d <= std::min(distance, fingerprint_bits); ++d) sum += chances[d];
  return std::min(sum, 1.0);
}

CurveAreas near_fingerprint_curve_areas(double threshold, uint32_t distance) {
  KITH_CHECK(threshold >= 0.0 && threshold <= 1.0);
  // Over the angle t, with d cos(t) = -sin(t) dt: over the cosine the curve is too steep at 1.
  const auto hit = [&](double t) {
    return std::sin(t) * near_fingerprint_probability(std::cos(t), distance);
  };
  const auto miss = [&](double t) { return std::sin(t) - hit(t); };
  const double angle = std::acos(threshold);
  return {integral(angle, std::numbers::pi / 2, hit), integral(0.0, angle, miss)};
}

}  // namespace kith::sketch
