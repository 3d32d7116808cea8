#include "sketch/lsh/subset_masks.h"

#include <array>

#include "base/check.h"

namespace kith::sketch {
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
