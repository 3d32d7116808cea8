// What equal lanes say about a similarity: bounds of the binomial distribution.
#include <algorithm>
#include <cmath>

#include <boost/math/special_functions/beta.hpp>

#include "base/check.h"
#include "sketch/signature.h"

namespace kith {
namespace {

// The chance that two different values agree in their low `bits` bits.
double chance_of_agreement(uint32_t bits) {
  KITH_CHECK(bits >= 1 && bits <= 16);
  return std::ldexp(1.0, -static_cast<int>(bits));
}

// The similarity at which a share of equal values is expected.
double similarity_at(double share, double chance) {
  return std::clamp((share - chance) / (1.0 - chance), 0.0, 1.0);
}

}  // namespace

Estimate estimate_similarity(uint32_t equal, uint32_t lanes, uint32_t bits, double confidence) {
  KITH_CHECK(lanes > 0 && equal <= lanes && confidence > 0.0 && confidence < 1.0);
  const double chance = chance_of_agreement(bits);
  const double x = equal;
  const double m = lanes;
  const double tail = (1.0 - confidence) / 2.0;
  // Clopper and Pearson (1934): the quantiles of Beta(x, m - x + 1) and Beta(x + 1, m - x).
  const double lower = equal == 0 ? 0.0 : boost::math::ibeta_inv(x, m - x + 1.0, tail);
  const double upper = equal == lanes ? 1.0 : boost::math::ibetac_inv(x + 1.0, m - x, tail);
  return {similarity_at(lower, chance), similarity_at(x / m, chance), similarity_at(upper, chance)};
}

uint32_t least_equal(double similarity, uint32_t lanes, uint32_t bits, double miss) {
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

}  // namespace kith
