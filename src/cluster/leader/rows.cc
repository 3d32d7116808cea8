#include "cluster/leader/rows.h"

#include <algorithm>
#include <array>
#include <bit>

namespace kith::cluster {
namespace {

// Odd numbers for multiplicative hashing (Knuth, The Art of Computer Programming, 6.4). With
// n^2 slots or more, one of them is free of collisions with a probability over 0.6.
constexpr std::array<uint32_t, 8> factors = {0x9e3779b1u, 0x85ebca77u, 0xc2b2ae3du, 0x27d4eb2fu,
                                             0x165667b1u, 0xd35a2d97u, 0xb5297a4du, 0x68e31da5u};
constexpr uint32_t min_bits = 9;
constexpr uint32_t max_bits = 14;  // 128 KiB

}  // namespace

void BagMatcher::set(sketch::Bag bag) {
  if (hashed_) clear(bag_);
  hashed_ = false;
  bag_ = bag;
  if (bag.empty() || bag.size() > max_entries) return;
  const auto bits = static_cast<uint32_t>(std::bit_width(bag.size() * bag.size()));
  shift_ = 32 - std::clamp(bits, min_bits, max_bits);
  const size_t slots = size_t{1} << (32 - shift_);
  if (slots_.size() < slots) slots_.resize(slots, sketch::BagEntry{0, 0});
  hashed_ = std::ranges::any_of(factors, [&](uint32_t factor) { return fill(factor); });
}

// False, and an empty table, when two terms meet.
bool BagMatcher::fill(uint32_t factor) {
  factor_ = factor;
  for (size_t i = 0; i < bag_.size(); ++i) {
    sketch::BagEntry& slot = slots_[slot_of(bag_[i].term)];
    if (slot.weight != 0) {
      clear(bag_.first(i));
      return false;
    }
    slot = bag_[i];
  }
  return true;
}

void BagMatcher::clear(sketch::Bag entries) {
  for (const sketch::BagEntry& entry : entries) slots_[slot_of(entry.term)].weight = 0;
}

uint32_t BagMatcher::sum_of_minima(sketch::Bag other) const {
  if (!hashed_) return kith::sketch::sum_of_minima(bag_, other);
  const sketch::BagEntry* const slots = slots_.data();
  uint32_t sum = 0;
  for (const sketch::BagEntry& entry : other) {
    const sketch::BagEntry slot = slots[slot_of(entry.term)];
    const uint32_t common = std::min(slot.weight, entry.weight);
    sum += slot.term == entry.term ? common : 0;
  }
  return sum;
}

}  // namespace kith::cluster
