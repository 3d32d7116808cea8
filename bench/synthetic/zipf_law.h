// Ranks by the law of Zipf and Mandelbrot (B. Mandelbrot, "An informational theory of the
// statistical structure of language", 1953).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace kith::synthetic {

// Ranks in [0, n) with P(rank) nearly proportional to 1 / (rank + 1 + shift)^exponent: the
// continuous density (x + 1/2 + shift)^-exponent on [0, n), rounded down, and linear between its
// 4096-quantiles. Immutable, thread-safe. 32 KB.
class ZipfLaw {
 public:
  // REQUIRES: n >= 1, exponent >= 0, shift >= 0.
  ZipfLaw(uint32_t n, double exponent, double shift);

  // The rank of 64 uniform bits, the same for the same bits.
  uint32_t rank(uint64_t bits) const {
    constexpr unsigned fraction_bits = 64 - cell_bits;
    const size_t cell = bits >> fraction_bits;
    const double within = static_cast<double>((bits << cell_bits) >> 11) * 0x1p-53;  // in [0, 1)
    const double x = quantiles_[cell] + within * (quantiles_[cell + 1] - quantiles_[cell]);
    const auto rank = static_cast<uint32_t>(x);
    return rank < n_ ? rank : n_ - 1;
  }

  // P(rank) of the continuous density. REQUIRES: rank < n.
  double share(uint32_t rank) const;

  uint32_t size() const { return n_; }

 private:
  static constexpr unsigned cell_bits = 12;
  static constexpr size_t cells = size_t{1} << cell_bits;

  double integral(double x) const;  // of the density from 0 to x, not normalised

  uint32_t n_;
  double exponent_;
  double origin_;  // 1/2 + shift
  std::array<double, cells + 1> quantiles_;
};

}  // namespace kith::synthetic
