// From sums to the K nearest: accumulators that reach a bound become answers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "similar/exact/question.h"
#include "similar/query_weights.h"
#include "sketch/bag.h"
#include "sketch/simd.h"

namespace kith::similar {

// Finding the accumulators that reach a bar. Internal to this folder.

// Accumulators are scanned in groups. An array of them is padded with zeros to a multiple of this.
inline constexpr size_t sum_group = 64;

// One group, compared in a form that a compiler makes vector code of. REQUIRES: sum_group sums.
inline bool any_at_least(const uint16_t* sums, uint16_t cutoff) {
  uint16_t any = 0;
  for (size_t i = 0; i < sum_group; ++i) any |= static_cast<uint16_t>(sums[i] >= cutoff ? 1 : 0);
  return any != 0;
}

// The first index >= from, a multiple of sum_group, at which a group with a sum >= bar begins;
// sums.size() when there is none. REQUIRES: from and sums.size() are multiples of sum_group.
size_t next_group_at_least(std::span<const uint16_t> sums, size_t from, uint16_t cutoff,
                           sketch::SimdLevel level = sketch::best_simd_level());

// Calls visit(slot) for every sum >= bar > 0, ascending, until visit returns false.
template <class Visit>
void for_each_at_least(std::span<const uint16_t> sums, uint32_t cutoff, Visit&& visit) {
  if (cutoff > UINT16_MAX) return;
  const auto least = static_cast<uint16_t>(cutoff);
  for (size_t first = next_group_at_least(sums, 0, least); first < sums.size();
       first = next_group_at_least(sums, first + sum_group, least)) {
    for (size_t slot = first; slot < first + sum_group; ++slot) {
      if (sums[slot] >= cutoff && !visit(static_cast<uint32_t>(slot))) return;
    }
  }
}

// Turns accumulated coarse sums into exact answers. Internal to this folder.

// Working memory, reusable.
struct AnswerScratch {
  QueryWeights weights;
  std::vector<uint32_t> candidates;  // slots in a block
  std::vector<uint16_t> largest;     // for the K-th largest sum
};

// What an index knows by slot. Views.
struct SlotTable {
  std::span<const uint32_t> ids;
  std::span<const sketch::Bag> bags;
  uint64_t term_limit;  // above all terms of the bags
};

// The nearest so far, a heap with the farthest on top, and the bar for others: a lower bound of the
// sum of the last, in coarse units.
class NearestHeap {
 public:
  // min_sum: smaller sums are left out. With top = 0 nothing reaches the bar.
  NearestHeap(std::vector<Neighbour>& list, size_t top, uint32_t min_sum)
      : list_(&list),
        top_(top),
        min_sum_(min_sum),
        cutoff_(top == 0 ? UINT32_MAX : coarse(min_sum)) {
    list.clear();
  }

  uint32_t cutoff() const { return cutoff_; }
  // The K-th largest sum less its slack bounds the K-th best from below. Slots in `except` do not
  // count.
  void raise_cutoff(std::span<const uint16_t> sums, IdRange except, uint32_t slack,
                    std::vector<uint16_t>& largest);
  void offer(Neighbour neighbour);
  // To be called once, in the end.
  void sort() { std::sort(list_->begin(), list_->end(), nearer); }

 private:
  std::vector<Neighbour>* list_;
  size_t top_;
  uint32_t min_sum_;
  uint32_t cutoff_;
};

// The answer to one question, built block by block of slots. A coarse sum of a block's slot lies
// above the exact sum of the terms added so far, by at most `slack` units; what the other terms
// can add is at most `rest`.
class AnswerBuilder {
 public:
  // All arguments must outlive this object; the answer is emptied.
  AnswerBuilder(sketch::Bag bag, const Question& question, const SlotTable& slots, Answer& answer,
                QueryWork& work);

  // The coarse sum that a bag must reach to be part of the answer; at least 1. Rises.
  uint32_t cutoff() const { return std::min(own_cutoff(), std::max(1u, elsewhere_.cutoff())); }
  // The same of a bag in own_slots().
  uint32_t own_cutoff() const { return std::max(1u, std::min(least_, nearest_.cutoff())); }
  // Slots that hold nothing of another host.
  IdRange own_slots() const { return question_.other_sites.own_slots; }
  // Those of them that are in a block of so many slots, counted from its first.
  IdRange own_slots_in(size_t first_slot, size_t slots) const;
  // The same for being similar; UINT32_MAX when nobody asks.
  uint32_t least() const { return least_; }

  // By the sums of a block of slots.
  void raise_cutoff(std::span<const uint16_t> sums, size_t first_slot, uint32_t slack,
                    AnswerScratch& scratch);

  // Takes the answers among scratch.candidates, slots relative to first_slot: those with
  // sums[slot] + rest >= cutoff(), or own_cutoff(), must be among them, ascending.
  void finish(std::span<const uint16_t> sums, size_t first_slot, uint32_t rest, uint32_t slack,
              AnswerScratch& scratch);

  // As finish(), but ends at the first that is similar, and says whether there was one.
  bool finish_at_first(std::span<const uint16_t> sums, size_t first_slot, uint32_t rest,
                       AnswerScratch& scratch);

  // To be called once, after the last block.
  void sort_nearest();

 private:
  void take_similar(std::span<const uint16_t> sums, size_t first_slot, uint32_t rest,
                    uint32_t slack, AnswerScratch& scratch);
  void take_nearest(std::span<const uint16_t> sums, size_t first_slot, uint32_t rest,
                    AnswerScratch& scratch);
  void offer(size_t slot, uint32_t most, const AnswerScratch& scratch);
  bool is_listed(uint32_t id) const {
    return question_.list &&
           (question_.list_key.empty() || question_.list_key[id] > question_.list_above);
  }
  uint32_t exact_sum(size_t slot, const AnswerScratch& scratch) {
    ++work_.merges;
    return scratch.weights.sum_with(slots_.bags[slot]);
  }

  sketch::Bag bag_;
  const Question& question_;
  const SlotTable& slots_;
  Answer& answer_;
  QueryWork& work_;
  uint32_t least_;
  NearestHeap nearest_;
  NearestHeap elsewhere_;
};

}  // namespace kith::similar
