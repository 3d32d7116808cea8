#include "synthetic/zipf_law.h"

#include <cmath>

namespace kith::synthetic {
namespace {

bool is_harmonic(double exponent) {
  return std::abs(exponent - 1) < 1e-9;
}

}  // namespace

ZipfLaw::ZipfLaw(uint32_t n, double exponent, double shift)
    : n_(n), exponent_(exponent), origin_(0.5 + shift) {
  const double all = integral(n);
  const double power = 1 - exponent;
  for (size_t i = 0; i <= cells; ++i) {
    const double area = all * static_cast<double>(i) / cells;
    const double x = is_harmonic(exponent)
                         ? origin_ * std::exp(area)
                         : std::pow(std::pow(origin_, power) + power * area, 1 / power);
    quantiles_[i] = x - origin_;
  }
  quantiles_[0] = 0;
  quantiles_[cells] = n;
}

double ZipfLaw::integral(double x) const {
  if (is_harmonic(exponent_)) return std::log((x + origin_) / origin_);
  const double power = 1 - exponent_;
  return (std::pow(x + origin_, power) - std::pow(origin_, power)) / power;
}

double ZipfLaw::share(uint32_t rank) const {
  return (integral(rank + 1.0) - integral(rank)) / integral(n_);
}

}  // namespace kith::synthetic
