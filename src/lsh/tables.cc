#include "lsh/tables.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/check.h"
#include "base/hash.h"
#include "base/rng.h"
#include "lsh/binomial.h"

namespace kith::lsh {
namespace {

constexpr uint32_t max_lanes = 1024;
constexpr uint32_t values_per_word = 4;  // 16-bit values in 64 bits

using Subset = std::vector<uint16_t>;

// k different lanes of m, every choice equally likely (Floyd's sampling), ascending.
Subset random_subset(Rng& rng, uint32_t lanes, uint32_t per_key) {
  Subset subset;
  for (uint32_t top = lanes - per_key; top < lanes; ++top) {
    const auto lane = static_cast<uint16_t>(rng.below(top + 1));
    const bool taken = std::ranges::find(subset, lane) != subset.end();
    subset.push_back(taken ? static_cast<uint16_t>(top) : lane);
  }
  std::ranges::sort(subset);
  return subset;
}

// Up to 4 values of a key, side by side in 64 bits.
uint64_t pack(const uint16_t* values, const uint16_t* lanes, uint32_t count) {
  uint64_t word = 0;
  for (uint32_t i = 0; i < count; ++i) word = word << 16 | values[lanes[i]];
  return word;
}

// A bijection of the packed values when they fit one word. The salts differ from table to
// table, so a key also names its table.
template <uint32_t per_key>
uint64_t key_of(const uint16_t* values, const uint16_t* lanes, uint64_t salt) {
  if constexpr (per_key <= values_per_word) {
    return mix64(pack(values, lanes, per_key) ^ salt);
  } else {
    const uint64_t first = mix64(pack(values, lanes, values_per_word) ^ salt);
    return mix64(first + pack(values, lanes + values_per_word, per_key - values_per_word));
  }
}

template <uint32_t per_key>
void fill_keys(const uint16_t* values, const uint16_t* lanes, const uint64_t* salts,
               std::span<uint64_t> keys) {
  for (size_t table = 0; table < keys.size(); ++table) {
    keys[table] = key_of<per_key>(values, lanes + table * per_key, salts[table]);
  }
}

// The first of `tables` rows of k lanes in which every lane has equal[lane] = 1. Branches only
// where a table ends: which lanes are equal is as good as random.
template <uint32_t per_key>
uint32_t first_within(const uint8_t* equal, const uint16_t* lanes, uint32_t tables) {
  for (uint32_t table = 0; table < tables; ++table, lanes += per_key) {
    uint32_t all = 1;
    for (uint32_t i = 0; i < per_key; ++i) all &= equal[lanes[i]];
    if (all != 0) return table;
  }
  return tables;
}

// The loops for one k, which unrolls them.
struct KeyKernel {
  void (*fill_keys)(const uint16_t* values, const uint16_t* lanes, const uint64_t* salts,
                    std::span<uint64_t> keys);
  uint32_t (*first_within)(const uint8_t* equal, const uint16_t* lanes, uint32_t tables);
};
template <uint32_t per_key>
constexpr KeyKernel kernel_of = {fill_keys<per_key>, first_within<per_key>};
constexpr std::array<KeyKernel, max_per_key> kernels = {kernel_of<1>, kernel_of<2>, kernel_of<3>,
                                                        kernel_of<4>, kernel_of<5>, kernel_of<6>,
                                                        kernel_of<7>, kernel_of<8>};

}  // namespace

Tables::Tables(const TableParams& params) : params_(params) {
  KITH_CHECK(params.lanes >= 1 && params.lanes <= max_lanes);
  KITH_CHECK(params.per_key >= 1 && params.per_key <= max_per_key);
  KITH_CHECK(params.per_key <= params.lanes);
  KITH_CHECK(params.tables >= 1 && params.tables <= most_tables);
  Rng rng(params.seed);
  const double choices = binomial_coefficient(params.lanes, params.per_key);
  std::set<Subset> used;
  for (uint32_t table = 0; table < params.tables; ++table) {
    if (static_cast<double>(used.size()) >= choices) used.clear();
    Subset subset = random_subset(rng, params.lanes, params.per_key);
    while (!used.insert(subset).second) subset = random_subset(rng, params.lanes, params.per_key);
    subsets_.insert(subsets_.end(), subset.begin(), subset.end());
    salts_.push_back(rng());
  }
}

uint64_t Tables::key(uint32_t table, std::span<const uint16_t> signature) const {
  KITH_CHECK(table < params_.tables && signature.size() == params_.lanes);
  uint64_t key = 0;
  kernels[params_.per_key - 1].fill_keys(signature.data(), subset(table).data(), &salts_[table],
                                         std::span(&key, 1));
  return key;
}

void Tables::keys(std::span<const uint16_t> signature, std::span<uint64_t> keys) const {
  KITH_CHECK(signature.size() == params_.lanes && keys.size() == params_.tables);
  kernels[params_.per_key - 1].fill_keys(signature.data(), subsets_.data(), salts_.data(), keys);
}

void Tables::keys(uint32_t first, std::span<const uint16_t> signature,
                  std::span<uint64_t> keys) const {
  KITH_CHECK(signature.size() == params_.lanes);
  KITH_CHECK(first <= params_.tables && keys.size() <= params_.tables - first);
  if (keys.empty()) return;
  kernels[params_.per_key - 1].fill_keys(signature.data(), subset(first).data(), &salts_[first],
                                         keys);
}

uint32_t Tables::first_collision(std::span<const uint16_t> a, std::span<const uint16_t> b) const {
  KITH_CHECK(a.size() == params_.lanes && b.size() == params_.lanes);
  std::array<uint8_t, max_lanes> equal;
  for (uint32_t lane = 0; lane < params_.lanes; ++lane) equal[lane] = a[lane] == b[lane];
  return kernels[params_.per_key - 1].first_within(equal.data(), subsets_.data(), params_.tables);
}

}  // namespace kith::lsh
