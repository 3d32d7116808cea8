// S-curves: how likely two signatures of a similarity meet.
#pragma once

#include <cmath>
#include <cstdint>

#include "kith/status.h"

namespace kith::sketch {

// What S-curves of tables and of bands have in common.

// 1 - (1 - p)^n, accurate for small p.
inline double any_of(double p, double n) {
  return p >= 1.0 ? 1.0 : -std::expm1(n * std::log1p(-p));
}

// The integral of f over [from, to] by Simpson's rule. S-curves are polynomials whose steepest rise
// spans several of these steps: the error is far below what a plot or a table shows.
template <class Function>
double integral(double from, double to, const Function& f) {
  constexpr int steps = 256;
  const double width = (to - from) / steps;
  double sum = f(from) + f(to);
  for (int i = 1; i < steps; ++i) sum += (i % 2 == 1 ? 4.0 : 2.0) * f(from + i * width);
  return sum * width / 3.0;
}

// A share with two decimals, rounded down: what does not reach a request must not look as if it
// did. An error of the last bits does not count.
inline double two_decimals(double share) {
  return std::floor(100 * share + 1e-9) / 100;
}

// Error (usage) unless similarity and recall lie inside (0, 1) and lanes in [1, 1024].
Status check_request(double similarity, double recall, uint32_t lanes);

}  // namespace kith::sketch
