#include "cluster/leader/rows.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"

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

LeaderTables::LeaderTables(std::span<const uint64_t> keys) {
  lists_.reserve(keys.size());
  for (const uint64_t below : keys) lists_.emplace_back(below);
}

void LeaderTables::clear() {
  for (List& list : lists_) list.clear();
}

LeaderTables::List::List(uint64_t keys) : begins_(cells_of(keys) + 1) {
  tags_.grow(word);
}

void LeaderTables::List::reserve(size_t entries) {
  tags_.reserve(entries + word);
  ids_.reserve(entries);
}

void LeaderTables::List::clear() {
  std::ranges::fill(begins_.span(), 0);
  tags_.clear();
  tags_.grow(word);
  ids_.clear();
}

void LeaderTables::List::merge(std::span<const ShortKeyId> sorted) {
  size_t moved = ids_.size();  // the entries from here on have their new places
  size_t added = sorted.size();
  KITH_CHECK(moved + added < UINT32_MAX);
  tags_.grow(added);
  ids_.grow(added);
  uint8_t* const tags = tags_.span().data();
  uint32_t* const ids = ids_.span().data();
  // From the back, so that entries move in place: a cell's new ones go behind its old ones. The
  // cells that begin behind `last` have been shifted.
  for (size_t last = begins_.size() - 1; added > 0;) {
    const size_t cell = cell_of(sorted[added - 1].key);
    const size_t old_end = begins_[cell + 1];
    std::memmove(tags + old_end + added, tags + old_end, moved - old_end);
    std::memmove(ids + old_end + added, ids + old_end, (moved - old_end) * sizeof(uint32_t));
    for (size_t i = cell + 1; i <= last; ++i) begins_[i] += static_cast<uint32_t>(added);
    moved = old_end;
    last = cell;
    for (; added > 0 && cell_of(sorted[added - 1].key) == cell; --added) {
      tags[old_end + added - 1] = static_cast<uint8_t>(sorted[added - 1].key);
      ids[old_end + added - 1] = sorted[added - 1].id;
    }
  }
}

}  // namespace kith::cluster
