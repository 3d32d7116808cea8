#include "sketch/lsh/duplicate_tables.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <vector>

#include <boost/math/special_functions/beta.hpp>
#include <fmt/format.h>

#include "base/check.h"
#include "sketch/lsh/tables.h"
#include "sketch/set_sketches.h"
#include "sketch/simhash.h"

namespace kith::sketch {

double binomial_coefficient(uint32_t n, uint32_t k) {
  if (k > n) return 0.0;
  double value = 1.0;
  // Every intermediate value is itself a binomial coefficient, so the divisions are exact.
  for (uint32_t i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return value;
}

std::vector<double> binomial_distribution(uint32_t n, double p) {
  std::vector<double> chances(n + 1, 0.0);
  if (p <= 0.0 || p >= 1.0) {
    chances[p <= 0.0 ? 0 : n] = 1.0;
    return chances;
  }
  // From the mode outwards by the ratio of neighbours, then scaled to sum 1: no underflow where
  // it matters, and no logarithms of factorials to lose digits in.
  const auto mode = std::min(n, static_cast<uint32_t>((n + 1.0) * p));
  const double odds = p / (1.0 - p);
  chances[mode] = 1.0;
  for (uint32_t x = mode; x < n; ++x) chances[x + 1] = chances[x] * (n - x) / (x + 1) * odds;
  for (uint32_t x = mode; x > 0; --x) chances[x - 1] = chances[x] * x / (n - x + 1) / odds;
  double sum = 0.0;
  for (const double chance : chances) sum += chance;
  for (double& chance : chances) chance /= sum;
  return chances;
}

namespace {

// The fewest bands that reach the recall, at most `most`; 0 if these do not. The formula is tried
// around its solution, so that rounding does not cost or give away a band.
uint32_t fewest_bands(double similarity, double recall, uint32_t rows, uint32_t most) {
  const auto reaches = [&](uint32_t bands) {
    return band_collision_probability(similarity, bands, rows) >= recall;
  };
  if (most == 0 || !reaches(most)) return 0;
  const double p = std::pow(similarity, rows);
  const double solution = std::ceil(std::log1p(-recall) / std::log1p(-p));
  auto bands = static_cast<uint32_t>(std::clamp(solution, 1.0, static_cast<double>(most)));
  while (bands > 1 && reaches(bands - 1)) --bands;
  while (!reaches(bands)) ++bands;
  return bands;
}

}  // namespace

CurveAreas band_curve_areas(double threshold, const BandParams& params) {
  KITH_CHECK(threshold >= 0.0 && threshold <= 1.0);
  const auto hit = [&](double s) {
    return band_collision_probability(s, params.bands, params.rows);
  };
  const auto miss = [&](double s) { return 1.0 - hit(s); };
  return {integral(0.0, threshold, hit), integral(threshold, 1.0, miss)};
}

Result<std::vector<BandParams>> band_choices(double similarity, double recall, uint32_t lanes) {
  KITH_TRY(check_request(similarity, recall, lanes));
  std::vector<BandParams> choices;
  double best = 0.0;
  for (uint32_t rows = 1; rows <= std::min(max_rows, lanes); ++rows) {
    const uint32_t most = lanes / rows;
    best = std::max(best, band_collision_probability(similarity, most, rows));
    const uint32_t bands = fewest_bands(similarity, recall, rows, most);
    if (bands > 0) choices.push_back({.bands = bands, .rows = rows});
  }
  if (!choices.empty()) return choices;
  return Error{ErrorKind::usage,
               fmt::format("no bands reach a recall of {} at similarity {} with {} minima: the "
                           "best is {:.2f}; give more `lanes`, a higher `similarity` or a lower "
                           "`recall`",
                           recall, similarity, lanes, two_decimals(best))};
}

Result<BandParams> choose_bands(double similarity, double recall, uint32_t lanes) {
  KITH_ASSIGN(const auto choices, band_choices(similarity, recall, lanes));
  const auto false_positives = [&](const BandParams& params) {
    return band_curve_areas(similarity, params).false_positive;
  };
  return *std::ranges::min_element(choices, {}, false_positives);
}

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
