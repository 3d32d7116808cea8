#include "similar/fingerprints/near_pair_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "sketch/lsh/permuted_tables.h"

namespace kith::similar {
namespace {

// A set is compared as it is when that costs less than grouping it: per value, half the set is
// compared, or it is moved once for every block that may be chosen.
constexpr size_t comparisons_per_move = 64;
// The groups that a digit makes hold about so many values at least.
constexpr size_t min_group = 16;
constexpr uint32_t widest_digit = 8;

}  // namespace

BitDigit top_digit(uint64_t block, uint32_t width) {
  const auto end = static_cast<uint32_t>(std::bit_width(block));
  const uint32_t places = end - static_cast<uint32_t>(std::countr_zero(block));
  width = std::min(width, places);
  return {end - width, width};
}

uint64_t differing_bits(std::span<const uint64_t> values) {
  uint64_t differing = 0;
  for (const uint64_t value : values) differing |= value ^ values.front();
  return differing;
}

bool GroupState::cut(uint64_t varying, uint32_t count, uint32_t distance) {
  if (static_cast<uint32_t>(std::popcount(varying)) < count) return false;
  blocks = sketch::cut_blocks(varying, count);
  next = 0;
  left = count - distance;
  return true;
}

void GroupState::choose() {
  agree |= blocks[next];
  ++next;
  --left;
}

void GroupState::skip() {
  differ.push_back(blocks[next]);
  ++next;
}

NearPairSearch::NearPairSearch(uint32_t distance, uint32_t blocks, Take take)
    : distance_(distance),
      blocks_(blocks),
      take_(std::move(take)),
      kernels_(sketch::hamming_kernels()) {}

bool NearPairSearch::is_small(const FingerprintSet& set, const GroupState& state) const {
  const size_t choices =
      state.left == 0 ? distance_ + 1 : state.blocks.size() - state.next - state.left + 1;
  return set.size <= 2 * comparisons_per_move * choices && !is_large(set);
}

void NearPairSearch::compare(const FingerprintSet& set, const GroupState& state) {
  struct Context {
    NearPairSearch* search;
    const GroupState* state;
    const uint64_t* values;
  } context{this, &state, set.values};
  const auto take = [](void* opaque, uint32_t i, uint32_t j) {
    const Context& at = *static_cast<Context*>(opaque);
    const uint64_t a = at.values[i];
    const uint64_t b = at.values[j];
    if (at.state->holds(a ^ b) && !at.search->take_(a, b)) at.search->stopped_ = true;
  };
  compared_ += set.size * (set.size - 1) / 2;
  kernels_.pairs(set.values, set.size, distance_, {&context, take});
}

void NearPairSearch::run(const FingerprintSet& set, const GroupState& state) {
  search(set, state);
}

void NearPairSearch::run_group(const FingerprintSet& set, uint64_t block, const GroupState& state) {
  group(set, block, state);
}

bool NearPairSearch::search(const FingerprintSet& set, const GroupState& state) {
  if (set.size < 2 || stopped_) return false;
  if (is_small(set, state)) {
    compare(set, state);
    return false;
  }
  if (state.is_complete() && is_large(set)) {
    if (!large_.take(state, set.view())) stopped_ = true;
    return false;
  }
  GroupState at = state;
  if (at.left == 0 && !at.cut(differing_bits(set.view()), blocks_, distance_)) {
    if (!is_large(set)) {
      compare(set, state);
    } else if (!large_.take(state, set.view())) {
      stopped_ = true;
    }
    return false;
  }
  while (at.can_choose()) {
    GroupState chosen = at;
    chosen.choose();
    group(set, at.blocks[at.next], chosen);
    at.skip();
  }
  return true;
}

bool NearPairSearch::group(const FingerprintSet& set, uint64_t block, const GroupState& state) {
  if (block == 0 || (set.size <= 2 * comparisons_per_move && !is_large(set))) {
    return search(set, state);
  }
  const auto useful = std::max(1u, static_cast<uint32_t>(std::bit_width(set.size / min_group)));
  const BitDigit digit = top_digit(block, std::min(widest_digit, useful));
  const uint64_t rest = block & ((uint64_t{1} << digit.shift) - 1);
  std::array<uint32_t, (size_t{1} << widest_digit) + 1> ends{};
  for (const uint64_t value : set.view()) ++ends[digit(value) + 1];
  const size_t groups = size_t{1} << digit.width;
  for (size_t d = 0; d < groups; ++d) ends[d + 1] += ends[d];
  for (const uint64_t value : set.view()) set.room[ends[digit(value)]++] = value;
  moved_ += set.size;
  const FingerprintSet grouped{set.room, set.values, set.size};
  bool overwritten = false;
  size_t begin = 0;
  for (size_t d = 0; d < groups && !stopped_; ++d) {
    const size_t end = ends[d];
    if (end - begin > 1) overwritten |= group(grouped.part(begin, end), rest, state);
    begin = end;
  }
  if (overwritten) std::memcpy(set.values, set.room, set.size * sizeof(uint64_t));
  return true;
}

}  // namespace kith::similar
