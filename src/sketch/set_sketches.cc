#include "sketch/set_sketches.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <vector>

#include <boost/math/special_functions/beta.hpp>

#include "base/check.h"
#include "base/hash.h"
#include "base/random.h"
#include "sketch/kernels/kernels.h"
#include "sketch/signature.h"

namespace kith::sketch {

struct SetSketcher::Impl {
  SetSketchOptions options;
  const Kernels& kernels;
  std::vector<uint32_t> multipliers;  // odd; of the family `lanes`
  FastSketch bins;                    // of the other
};

SetSketcher::SetSketcher(const SetSketchOptions& options, SimdLevel level) {
  KITH_CHECK(are_lanes(options.lanes));
  Rng rng(options.seed);
  const uint64_t salt = rng();
  std::vector<uint32_t> multipliers;
  for (uint32_t lane = 0; lane < options.lanes; ++lane) {
    multipliers.push_back(static_cast<uint32_t>(rng() >> 32) | 1);
  }
  impl_ = std::make_unique<Impl>(Impl{options, kernels(level), std::move(multipliers),
                                      FastSketch(options.lanes, salt, kernels(level))});
}

SetSketcher::~SetSketcher() = default;
SetSketcher::SetSketcher(SetSketcher&&) noexcept = default;
SetSketcher& SetSketcher::operator=(SetSketcher&&) noexcept = default;

const SetSketchOptions& SetSketcher::options() const {
  return impl_->options;
}

void SetSketcher::sketch(std::span<const uint64_t> elements, std::span<uint16_t> signature) const {
  KITH_CHECK(signature.size() == lanes());
  if (elements.empty()) {
    std::ranges::fill(signature, uint16_t{0});
    return;
  }
  std::array<uint32_t, max_lanes> values;
  if (impl_->options.family == MinHashFamily::bins) {
    impl_->bins.sketch(elements, values.data());
  } else {
    std::fill_n(values.begin(), lanes(), uint32_t{0});
    impl_->kernels.minhash(impl_->multipliers.data(), lanes(), elements, values.data());
  }
  impl_->kernels.minima.fold(values.data(), lanes(), signature.data());
}

namespace {

constexpr uint32_t value_bits = 16;
constexpr size_t values_per_word = 4;
// Four values are mixed at a time: a bijection of them, so that nothing is lost up to s = 4.
uint64_t key_of(std::span<const uint16_t> values, uint64_t number) {
  uint64_t key = mix64((number + 1) * golden);
  for (size_t first = 0; first < values.size(); first += values_per_word) {
    uint64_t word = 0;
    for (const uint16_t value :
         values.subspan(first, std::min(values_per_word, values.size() - first))) {
      word = word << value_bits | value;
    }
    key = mix64(key ^ word);
  }
  return key;
}

}  // namespace

void super_shingles(std::span<const uint16_t> signature, uint32_t s, uint32_t first,
                    std::span<uint64_t> keys) {
  KITH_CHECK(s > 0 && (first + keys.size()) * s <= signature.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    const size_t number = first + i;
    keys[i] = key_of(signature.subspan(number * s, s), number);
  }
}

double super_shingle_probability(double resemblance, uint32_t s) {
  const double chance = chance_of_agreement(value_bits);
  return std::pow(resemblance + (1.0 - resemblance) * chance, s);
}

double shared_super_shingles_probability(double resemblance, uint32_t s, uint32_t groups,
                                         uint32_t least) {
  if (least > groups) return 0.0;
  if (least == 0) return 1.0;
  // P(X >= k) for X ~ Bin(n, p) is the regularised beta function I_p(k, n - k + 1).
  return boost::math::ibeta(least, groups - least + 1.0, super_shingle_probability(resemblance, s));
}

Estimate estimate_from_super_shingles(uint32_t equal, uint32_t groups, uint32_t s,
                                      double confidence) {
  KITH_CHECK(groups > 0 && s > 0);
  const double chance = chance_of_agreement(value_bits);
  const auto resemblance = [&](double share) {
    return similarity_at_share(std::pow(share, 1.0 / s), chance);
  };
  const Estimate share = share_bounds(equal, groups, confidence);
  return {resemblance(share.lower), resemblance(share.value), resemblance(share.upper)};
}

HashSet min_sketch(HashSet elements, uint32_t s) {
  KITH_CHECK(s > 0);
  return elements.first(std::min<size_t>(s, elements.size()));
}

Estimate estimate_resemblance(HashSet a, HashSet b, uint32_t s, double confidence) {
  KITH_CHECK(s > 0 && a.size() <= s && b.size() <= s);
  if (a.size() < s && b.size() < s) {
    const SetOverlap exact = overlap(a, b);
    return known_share(exact.common, exact.a + exact.b - exact.common);
  }
  // What is behind the end of a full sketch is not known, so the merge stops where the s smallest
  // have been seen: no sketch that is not a whole set can end before.
  uint64_t seen = 0;
  uint64_t common = 0;
  for (size_t i = 0, j = 0; seen < s && (i < a.size() || j < b.size()); ++seen) {
    const bool in_a = i < a.size() && (j == b.size() || a[i] <= b[j]);
    const bool in_b = j < b.size() && (i == a.size() || b[j] <= a[i]);
    common += in_a && in_b;
    i += in_a;
    j += in_b;
  }
  return share_bounds(common, seen, confidence);
}

namespace {

bool stays(uint64_t element, uint32_t level) {
  return (element & ((uint64_t{1} << level) - 1)) == 0;
}

// V_level of a sketch whose level is no higher, as an overlap counts it.
uint64_t size_at(const ModSketch& sketch, uint32_t level) {
  return static_cast<uint64_t>(
      std::ranges::count_if(sketch.values, [&](uint64_t value) { return stays(value, level); }));
}

uint64_t common_at(HashSet a, HashSet b, uint32_t level) {
  uint64_t common = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const uint64_t x = a[i];
    const uint64_t y = b[j];
    common += x == y && stays(x, level);
    i += x <= y;
    j += y <= x;
  }
  return common;
}

}  // namespace

ModSketch mod_sketch(HashSet elements) {
  // zeros[i]: elements with exactly i low bits zero.
  std::array<size_t, ModSketch::max_level + 1> zeros = {};
  for (const uint64_t element : elements) {
    ++zeros[std::min<size_t>(static_cast<size_t>(std::countr_zero(element)), ModSketch::max_level)];
  }
  ModSketch sketch;
  size_t left = elements.size();
  while (left > ModSketch::max_values && sketch.level < ModSketch::max_level) {
    left -= zeros[sketch.level++];
  }
  sketch.values.reserve(left);
  std::ranges::copy_if(elements, std::back_inserter(sketch.values),
                       [&](uint64_t element) { return stays(element, sketch.level); });
  return sketch;
}

ModEstimate estimate_overlap(const ModSketch& a, const ModSketch& b, double confidence) {
  const uint32_t level = std::max(a.level, b.level);
  const uint64_t in_a = size_at(a, level);
  const uint64_t in_b = size_at(b, level);
  const uint64_t common = common_at(a.values, b.values, level);
  const auto share = [&](uint64_t whole) {
    return level == 0 ? known_share(common, whole) : share_bounds(common, whole, confidence);
  };
  return {share(in_a + in_b - common), share(in_a), share(in_b)};
}

namespace {

constexpr uint64_t empty = ~uint64_t{0};  // the rank of a bin that nobody has won

// Throws all elements. The rounds before have lower ranks, and so need no look at what they won.
// By a shift where a power of two permits it: there a multiplication is what takes the time.
template <bool is_power_of_two>
void throw_all(const BinsRound& round, std::span<const uint64_t> elements, uint64_t* ranks) {
  const int shift = 64 - std::countr_zero(round.bins);
#pragma GCC unroll 4
  for (const uint64_t element : elements) {
    const uint64_t hash = element * round.multiplier;
    uint64_t& rank = ranks[is_power_of_two ? hash >> shift : bin_of(round, hash)];
    rank = std::min(rank, rank_of(round, hash));
  }
}

void throw_all(const BinsRound& round, std::span<const uint64_t> elements, uint64_t* ranks) {
  if (round.bins > 1 && std::has_single_bit(round.bins)) {
    throw_all<true>(round, elements, ranks);
  } else {
    throw_all<false>(round, elements, ranks);
  }
}

// Writes the empty bins from `first` on, and returns their number. Without a branch on what is
// empty: it would be guessed wrong for each of them.
size_t list_empty(const uint64_t* ranks, uint32_t first, uint32_t bins, uint16_t* out) {
  size_t count = 0;
  for (uint32_t b = first; b < bins; ++b) {
    out[count] = static_cast<uint16_t>(b);
    count += ranks[b] == empty ? 1 : 0;
  }
  return count;
}

}  // namespace

BinsRound FastSketch::round(uint32_t number) const {
  // Elements are well mixed: multiplication by a random odd number is enough to mix them anew.
  return {mix64(salt_ + number * golden) | 1, uint64_t{number} << 32, bins_};
}

// Round i < m throws every element into one bin at random, round m + b into bin b; a bin that an
// earlier round has filled is lost to later ones, so the rounds end when all are filled. From n
// = m ln m elements on the first round usually fills them all.
void FastSketch::sketch(std::span<const uint64_t> elements, uint32_t* values) const {
  std::array<uint64_t, max_bins> ranks;
  std::fill_n(ranks.begin(), bins_, empty);
  fill(elements, ranks.data());
  kernels_.tell(ranks.data(), bins_, values);
}

// After r rounds of n elements a share of e^(-r n / m) of the bins is empty. Where these are few
// and the elements many it pays to list them.
void FastSketch::fill(std::span<const uint64_t> elements, uint64_t* ranks) const {
  std::array<uint16_t, max_bins> open;
  const bool is_many = elements.size() >= bins_ / 2;
  uint32_t first = 0;  // the bins before are filled
  size_t thrown = 0;
  for (uint32_t number = 0; number < bins_; ++number) {
    size_t open_count = bins_;
    if (is_many && thrown >= 2 * size_t{bins_}) {
      open_count = list_empty(ranks, first, bins_, open.data());
      if (open_count == 0) return;
    }
    if (open_count <= few_bins) {
      kernels_.fill_few(round(number), elements, std::span(open).first(open_count), ranks);
    } else {
      throw_all(round(number), elements, ranks);
    }
    thrown += elements.size();
    while (first < bins_ && ranks[first] != empty) ++first;
    if (first == bins_) return;
  }
  fill_rest(elements, first, ranks);
}

void FastSketch::fill_rest(std::span<const uint64_t> elements, uint32_t first,
                           uint64_t* ranks) const {
  for (uint32_t b = first; b < bins_; ++b) {
    if (ranks[b] != empty) continue;
    const BinsRound own = round(bins_ + b);
    for (const uint64_t element : elements) {
      ranks[b] = std::min(ranks[b], rank_of(own, element * own.multiplier));
    }
  }
}

}  // namespace kith::sketch
