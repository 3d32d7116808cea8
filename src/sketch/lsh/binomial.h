// Binomial numbers in floating point, for the S-curves. Internal to this folder.
#pragma once

#include <cstdint>
#include <vector>

namespace kith::sketch {

// C(n, k) for k <= 8, 0 when k > n; exact below 2^53, else to a few units in the last place.
double binomial_coefficient(uint32_t n, uint32_t k);

// P(X = x) for x = 0 .. n, X ~ Bin(n, p), p in [0, 1].
std::vector<double> binomial_distribution(uint32_t n, double p);

}  // namespace kith::sketch
