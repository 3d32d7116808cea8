#include "sketch/lsh/bands.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/check.h"
#include "sketch/lsh/curve_parts.h"

namespace kith::sketch {
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

}  // namespace kith::sketch
