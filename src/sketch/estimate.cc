#include "sketch/estimate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include <boost/math/special_functions/beta.hpp>

#include "base/check.h"
#include "sketch/signature.h"
#include "sketch/simhash.h"

namespace kith::sketch {
double chance_of_agreement(uint32_t bits) {
  KITH_CHECK(bits >= 1 && bits <= 16);
  return std::ldexp(1.0, -static_cast<int>(bits));
}

double similarity_at_share(double share, double chance) {
  return std::clamp((share - chance) / (1.0 - chance), 0.0, 1.0);
}

Estimate share_bounds(uint64_t hits, uint64_t trials, double confidence) {
  KITH_CHECK(hits <= trials && confidence > 0.0 && confidence < 1.0);
  if (trials == 0) return {0.0, 0.0, 1.0};
  const auto x = static_cast<double>(hits);
  const auto n = static_cast<double>(trials);
  const double tail = (1.0 - confidence) / 2.0;
  // The quantiles of Beta(x, n - x + 1) and Beta(x + 1, n - x).
  const double lower = hits == 0 ? 0.0 : boost::math::ibeta_inv(x, n - x + 1.0, tail);
  const double upper = hits == trials ? 1.0 : boost::math::ibetac_inv(x + 1.0, n - x, tail);
  return {lower, x / n, upper};
}

Estimate known_share(uint64_t part, uint64_t whole) {
  const double share = whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  return {share, share, share};
}

Estimate estimate_similarity(uint32_t equal, uint32_t lanes, uint32_t bits, double confidence) {
  KITH_CHECK(lanes > 0);
  const double chance = chance_of_agreement(bits);
  const Estimate share = share_bounds(equal, lanes, confidence);
  return {similarity_at_share(share.lower, chance), similarity_at_share(share.value, chance),
          similarity_at_share(share.upper, chance)};
}

uint32_t min_equal(double similarity, uint32_t lanes, uint32_t bits, double miss) {
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

// What the distance of two fingerprints says about their angle.
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

namespace {

// From this ratio on, searching for the elements of the small set costs less than a merge.
constexpr size_t worth_search = 32;

// A merge without a branch on what is compared, which is as good as random.
struct Merge {
  const uint64_t* a;
  const uint64_t* a_end;
  const uint64_t* b;
  const uint64_t* b_end;
  uint64_t common = 0;

  bool is_done() const { return a == a_end || b == b_end; }
  void step() {
    const uint64_t x = *a;
    const uint64_t y = *b;
    common += x == y;
    a += x <= y;
    b += y <= x;
  }
  void finish() {
    while (!is_done()) step();
  }
};

// A step waits for the one before: two merges at a time, of the lower and the upper halves, take
// hardly longer than one.
uint64_t merge(HashSet a, HashSet b) {
  if (a.empty() || b.empty()) return 0;
  const uint64_t* a_middle = a.data() + a.size() / 2;
  const uint64_t* a_end = a.data() + a.size();
  const uint64_t* b_end = b.data() + b.size();
  const uint64_t* b_middle = std::lower_bound(b.data(), b_end, *a_middle);
  Merge lower = {a.data(), a_middle, b.data(), b_middle};
  Merge upper = {a_middle, a_end, b_middle, b_end};
  while (!lower.is_done() && !upper.is_done()) {
    lower.step();
    upper.step();
  }
  lower.finish();
  upper.finish();
  return lower.common + upper.common;
}

// Galloping: steps of doubling length from the place of the last element, then halving.
uint64_t search(HashSet small, HashSet large) {
  uint64_t common = 0;
  for (const uint64_t element : small) {
    size_t step = 1;
    while (step < large.size() && large[step] < element) step *= 2;
    const auto end = large.begin() + static_cast<ptrdiff_t>(std::min(step + 1, large.size()));
    const auto place = std::lower_bound(large.begin(), end, element);
    common += place != large.end() && *place == element;
    large = large.subspan(static_cast<size_t>(place - large.begin()));
  }
  return common;
}

}  // namespace

SetOverlap overlap(HashSet a, HashSet b) {
  const HashSet small = a.size() < b.size() ? a : b;
  const HashSet large = a.size() < b.size() ? b : a;
  const bool is_unequal = large.size() / worth_search >= small.size();
  return {a.size(), b.size(), is_unequal ? search(small, large) : merge(small, large)};
}

double containment_at(double resemblance, uint64_t a, uint64_t b) {
  const double sizes = static_cast<double>(a) + static_cast<double>(b);
  const double common = resemblance * sizes / (1.0 + resemblance);
  return std::min(common, static_cast<double>(std::min(a, b))) / static_cast<double>(a);
}

double resemblance_at(double containment, uint64_t a, uint64_t b) {
  const double common = std::min(containment * static_cast<double>(a), static_cast<double>(b));
  return common / (static_cast<double>(a) + static_cast<double>(b) - common);
}

}  // namespace kith::sketch
