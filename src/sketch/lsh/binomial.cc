#include "sketch/lsh/binomial.h"

#include <algorithm>
#include <cmath>

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

}  // namespace kith::sketch
