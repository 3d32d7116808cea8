#include "sketch/lsh/tables.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "base/random.h"
#include "sketch/lsh/duplicate_tables.h"
#include "sketch/signature.h"

namespace kith::sketch {
namespace {

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

std::vector<Subset> random_subsets(const TableParams& params, Rng& rng) {
  std::vector<Subset> subsets;
  const double choices = binomial_coefficient(params.lanes, params.per_key);
  std::set<Subset> used;
  while (subsets.size() < params.tables) {
    if (static_cast<double>(used.size()) >= choices) used.clear();
    Subset subset = random_subset(rng, params.lanes, params.per_key);
    if (used.insert(subset).second) subsets.push_back(std::move(subset));
  }
  return subsets;
}

std::vector<Subset> disjoint_subsets(const TableParams& params, Rng& rng) {
  std::vector<Subset> subsets;
  Subset order(params.lanes);
  std::iota(order.begin(), order.end(), uint16_t{0});
  while (subsets.size() < params.tables) {
    for (size_t end = params.per_key; end <= order.size(); end += params.per_key) {
      if (subsets.size() == params.tables) break;
      subsets.emplace_back(order.begin() + (end - params.per_key), order.begin() + end);
      std::ranges::sort(subsets.back());
    }
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  }
  return subsets;
}

// The values of a key: those of its lanes, or successive ones.
struct ValuesOfLanes {
  const uint16_t* values;
  const uint16_t* lanes;
  uint64_t operator[](size_t i) const { return values[lanes[i]]; }
};
struct SuccessiveValues {
  const uint16_t* values;
  uint64_t operator[](size_t i) const { return values[i]; }
};

// The values from `begin` on, up to 4, side by side in 64 bits.
template <uint32_t begin, uint32_t end, class Values>
uint64_t pack(const Values& values) {
  uint64_t word = 0;
  for (uint32_t i = begin; i < end; ++i) word |= values[i] << 16 * (i - begin);
  return word;
}

// A bijection of the packed values when they fit one word. The salts differ from table to
// table, so a key also names its table.
template <uint32_t per_key, class Values>
uint64_t key_of(const Values& values, uint64_t salt) {
  if constexpr (per_key <= values_per_word) {
    return mix64(pack<0, per_key>(values) ^ salt);
  } else {
    const uint64_t first = mix64(pack<0, values_per_word>(values) ^ salt);
    return mix64(first + pack<values_per_word, per_key>(values));
  }
}

template <uint32_t per_key>
void fill_keys(const uint16_t* values, const uint16_t* lanes, const uint64_t* salts,
               std::span<uint64_t> keys) {
  for (size_t table = 0; table < keys.size(); ++table) {
    keys[table] = key_of<per_key>(ValuesOfLanes{values, lanes + table * per_key}, salts[table]);
  }
}

// The same of lanes in order.
template <uint32_t per_key>
void fill_keys_in_order(const uint16_t* values, const uint64_t* salts, std::span<uint64_t> keys) {
  for (size_t table = 0; table < keys.size(); ++table) {
    keys[table] = key_of<per_key>(SuccessiveValues{values + table * per_key}, salts[table]);
  }
}

// The loops for one k, which unrolls them.
struct KeyKernel {
  void (*fill_keys)(const uint16_t* values, const uint16_t* lanes, const uint64_t* salts,
                    std::span<uint64_t> keys);
  void (*fill_keys_in_order)(const uint16_t* values, const uint64_t* salts,
                             std::span<uint64_t> keys);
};
template <uint32_t per_key>
constexpr KeyKernel kernel_of = {fill_keys<per_key>, fill_keys_in_order<per_key>};
constexpr std::array<KeyKernel, max_per_key> key_kernels = {
    kernel_of<1>, kernel_of<2>, kernel_of<3>, kernel_of<4>,
    kernel_of<5>, kernel_of<6>, kernel_of<7>, kernel_of<8>};

}  // namespace

Tables::Tables(const TableParams& params) : params_(params) {
  KITH_CHECK(params.lanes >= 1 && params.lanes <= max_lanes);
  KITH_CHECK(params.per_key >= 1 && params.per_key <= max_per_key);
  KITH_CHECK(params.per_key <= params.lanes);
  KITH_CHECK(params.tables >= 1 && params.tables <= tables_limit);
  Rng rng(params.seed);
  const bool disjoint = params.subsets == Subsets::disjoint;
  if (disjoint) in_order_ = std::min(params.tables, params.lanes / params.per_key);
  for (const Subset& subset :
       disjoint ? disjoint_subsets(params, rng) : random_subsets(params, rng)) {
    subsets_.insert(subsets_.end(), subset.begin(), subset.end());
    salts_.push_back(rng());
  }
}

uint64_t Tables::key(uint32_t table, std::span<const uint16_t> signature) const {
  uint64_t key = 0;
  keys(table, signature, std::span(&key, 1));
  return key;
}

void Tables::keys(std::span<const uint16_t> signature, std::span<uint64_t> keys) const {
  KITH_CHECK(keys.size() == params_.tables);
  this->keys(0, signature, keys);
}

void Tables::keys(uint32_t first, std::span<const uint16_t> signature,
                  std::span<uint64_t> keys) const {
  KITH_CHECK(signature.size() == params_.lanes);
  KITH_CHECK(first <= params_.tables && keys.size() <= params_.tables - first);
  const KeyKernel& kernel = key_kernels[params_.per_key - 1];
  const size_t in_order = std::min<size_t>(keys.size(), in_order_ - std::min(first, in_order_));
  if (in_order > 0) {
    kernel.fill_keys_in_order(&signature[first * params_.per_key], &salts_[first],
                              keys.first(in_order));
  }
  if (in_order < keys.size()) {
    const auto next = static_cast<uint32_t>(first + in_order);
    kernel.fill_keys(signature.data(), subset(next).data(), &salts_[next], keys.subspan(in_order));
  }
}

namespace {

constexpr size_t word_bits = 64;
constexpr uint32_t step = 16;  // tables that are looked at together: without a branch, as vectors

}  // namespace

SubsetMasks::SubsetMasks(const Tables& tables)
    : words_((tables.params().lanes + word_bits - 1) / word_bits),
      tables_(tables.params().tables),
      masks_(words_ * tables_) {
  for (uint32_t table = 0; table < tables_; ++table) {
    for (const uint16_t lane : tables.subset(table)) {
      masks_[lane / word_bits * tables_ + table] |= uint64_t{1} << lane % word_bits;
    }
  }
}

bool SubsetMasks::within(uint32_t table, std::span<const uint64_t> equal) const {
  KITH_CHECK(table < tables_ && equal.size() == words_);
  uint64_t missing = 0;
  for (size_t word = 0; word < words_; ++word) {
    missing |= masks_[word * tables_ + table] & ~equal[word];
  }
  return missing == 0;
}

uint32_t SubsetMasks::first_within(std::span<const uint64_t> equal, uint32_t begin,
                                   uint32_t end) const {
  KITH_CHECK(end <= tables_ && equal.size() == words_);
  uint32_t table = begin;
  for (; table + step <= end; table += step) {
    std::array<uint64_t, step> missing{};
    for (size_t word = 0; word < words_; ++word) {
      const uint64_t* const masks = &masks_[word * tables_ + table];
      const uint64_t unequal = ~equal[word];
      for (uint32_t i = 0; i < step; ++i) missing[i] |= masks[i] & unequal;
    }
    for (uint32_t i = 0; i < step; ++i) {
      if (missing[i] == 0) return table + i;
    }
  }
  while (table < end && !within(table, equal)) ++table;
  return table < end ? table : end;
}

}  // namespace kith::sketch
