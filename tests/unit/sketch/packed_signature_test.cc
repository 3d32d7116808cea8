#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "random_sets.h"
#include "sketch/estimate.h"
#include "sketch/set_sketches.h"
#include "sketch/signature.h"

namespace kith::sketch {
namespace {

using Values = std::vector<uint16_t>;

std::vector<uint8_t> packed(const Values& signature, uint32_t bits) {
  std::vector<uint8_t> bytes(packed_size(static_cast<uint32_t>(signature.size()), bits));
  pack_signature(signature, bits, bytes);
  return bytes;
}

// The slow twin.
uint32_t equal_low_bits(const Values& a, const Values& b, uint32_t bits) {
  uint32_t equal = 0;
  for (size_t lane = 0; lane < a.size(); ++lane) {
    equal += a[lane] % (1u << bits) == b[lane] % (1u << bits);
  }
  return equal;
}

TEST(PackedSignature, Sizes) {
  EXPECT_EQ(packed_size(128, 1), 16u);
  EXPECT_EQ(packed_size(128, 8), 128u);
  EXPECT_EQ(packed_size(80, 3), 30u);
}

TEST(PackedSignature, PlanesOfBits) {
  Values signature(16, 0);
  signature[0] = 0b101;
  signature[9] = 0b110;
  EXPECT_EQ(packed(signature, 3), (std::vector<uint8_t>{1, 0, 0, 2, 1, 2}));
}

RC_GTEST_PROP(PackedSignature, CountsWhatIsEqual, ()) {
  const uint32_t lanes = 8 * *rc::gen::inRange(1u, 40u);
  const uint32_t bits = *rc::gen::inRange(1u, 9u);
  // Few different values, so that lanes are often equal.
  const auto value = rc::gen::inRange<uint16_t>(0, 600);
  const auto a = *rc::gen::container<Values>(lanes, value);
  const auto b = *rc::gen::container<Values>(lanes, value);
  RC_ASSERT(count_equal_packed(packed(a, bits), packed(b, bits), lanes, bits) ==
            equal_low_bits(a, b, bits));
  RC_ASSERT(count_equal_packed(packed(a, bits), packed(a, bits), lanes, bits) == lanes);
}

TEST(PackedSignature, EstimatesAreUnbiased) {
  Rng rng(1);
  constexpr uint32_t lanes = 128;
  constexpr int trials = 1500;
  for (const double r : {0.5, 0.8}) {
    std::vector<double> sums(max_packed_bits + 1, 0.0);
    double truth = 0.0;
    for (int i = 0; i < trials; ++i) {
      const auto [a, b] = test::resembling_sets(rng, 200, r);
      truth = overlap(a, b).resemblance();
      const SetSketcher hasher({.lanes = lanes, .seed = static_cast<uint64_t>(i % 20)});
      Values x(lanes);
      Values y(lanes);
      hasher.sketch(a, x);
      hasher.sketch(b, y);
      for (uint32_t bits = 1; bits <= max_packed_bits; ++bits) {
        const uint32_t equal = count_equal_packed(packed(x, bits), packed(y, bits), lanes, bits);
        sums[bits] += estimate_similarity(equal, lanes, bits, 0.9).value;
      }
    }
    for (uint32_t bits = 1; bits <= max_packed_bits; ++bits) {
      // Li and Koenig, theorem 1: the variance of a lane is that of the share over (1 - 2^-b)^2.
      const double chance = std::ldexp(1.0, -static_cast<int>(bits));
      const double share = truth + (1.0 - truth) * chance;
      const double error = std::sqrt(share * (1.0 - share) / lanes / trials) / (1.0 - chance);
      EXPECT_NEAR(sums[bits] / trials, truth, 5.0 * error) << bits << " bits";
    }
  }
}

}  // namespace
}  // namespace kith::sketch
