#include "exact/answer_builder.h"

#include <functional>

namespace kith::pairs::internal {

AnswerBuilder::AnswerBuilder(Bag bag, const Question& question, const SlotTable& slots,
                             Answer& answer, QueryWork& work)
    : bag_(bag),
      question_(question),
      slots_(slots),
      answer_(answer),
      work_(work),
      least_(question.min_sum == 0 ? UINT32_MAX : coarse(question.min_sum)),
      nearest_cutoff_(question.top == 0 ? UINT32_MAX : coarse(question.min_near)) {
  answer_.nearest.clear();
  answer_.similar.clear();
  answer_.count = 0;
}

void AnswerBuilder::raise_cutoff(std::span<const uint16_t> sums, uint32_t slack,
                                 AnswerScratch& scratch) {
  const size_t k = question_.top;
  if (k == 0) return;
  auto& largest = scratch.largest;
  largest.clear();
  uint32_t above = nearest_cutoff_ + slack;  // only sums above it can raise the bar
  const auto keep_k = [&] {
    if (largest.size() < k) return;
    std::nth_element(largest.begin(), largest.begin() + static_cast<ptrdiff_t>(k - 1),
                     largest.end(), std::greater<>());
    largest.resize(k);
    above = std::max<uint32_t>(above, largest.back());
  };
  const size_t room = 4 * k + sum_group;
  for (size_t first = 0; above < UINT16_MAX; first += sum_group) {
    first = next_group_at_least(sums, first, static_cast<uint16_t>(above + 1));
    if (first >= sums.size()) break;
    for (size_t slot = first; slot < first + sum_group; ++slot) {
      if (sums[slot] > above) largest.push_back(sums[slot]);
    }
    if (largest.size() >= room) keep_k();
  }
  keep_k();
  if (largest.size() == k) nearest_cutoff_ = std::max(nearest_cutoff_, largest.back() - slack);
}

void AnswerBuilder::finish(std::span<const uint16_t> sums, size_t first_slot, uint32_t rest,
                           uint32_t slack, AnswerScratch& scratch) {
  if (scratch.candidates.empty()) return;
  scratch.weights.set(bag_, slots_.term_limit);
  if (question_.top > 0) take_nearest(sums, first_slot, rest, scratch);
  if (question_.min_sum > 0) take_similar(sums, first_slot, rest, slack, scratch);
  scratch.weights.clear();
}

void AnswerBuilder::take_similar(std::span<const uint16_t> sums, size_t first_slot, uint32_t rest,
                                 uint32_t slack, AnswerScratch& scratch) {
  for (const uint32_t slot : scratch.candidates) {
    if (sums[slot] + rest < least_) continue;
    const uint32_t id = slots_.ids[first_slot + slot];
    const bool listed = is_listed(id);
    // Where the lower bound decides, the exact sum is not needed.
    const bool certain =
        sums[slot] >= slack && (sums[slot] - slack) * uint64_t{coarse_unit} >= question_.min_sum;
    if (listed || !certain) {
      const uint32_t sum = exact_sum(first_slot + slot, scratch);
      if (sum < question_.min_sum) continue;
      if (listed) answer_.similar.push_back({id, sum});
    }
    answer_.count += question_.multiplicity.empty() ? 1 : question_.multiplicity[id];
  }
}

bool AnswerBuilder::finish_at_first(std::span<const uint16_t> sums, size_t first_slot,
                                    uint32_t rest, AnswerScratch& scratch) {
  if (scratch.candidates.empty()) return false;
  scratch.weights.set(bag_, slots_.term_limit);
  for (const uint32_t slot : scratch.candidates) {
    if (sums[slot] + rest < least_) continue;
    const uint32_t sum = exact_sum(first_slot + slot, scratch);
    if (sum < question_.min_sum) continue;
    answer_.similar.push_back({slots_.ids[first_slot + slot], sum});
    break;
  }
  scratch.weights.clear();
  return !answer_.similar.empty();
}

// The candidates with the K largest sums come first, so that what they really reach spares most
// others the comparison.
void AnswerBuilder::take_nearest(std::span<const uint16_t> sums, size_t first_slot, uint32_t rest,
                                 AnswerScratch& scratch) {
  auto& candidates = scratch.candidates;
  const bool partition = candidates.size() > question_.top;
  if (partition) {
    std::nth_element(candidates.begin(), candidates.begin() + static_cast<ptrdiff_t>(question_.top),
                     candidates.end(), [&](uint32_t a, uint32_t b) {
                       return sums[a] != sums[b] ? sums[a] > sums[b] : a < b;
                     });
  }
  for (const uint32_t slot : candidates) {
    if (sums[slot] + rest < nearest_cutoff_) continue;
    const uint32_t sum = exact_sum(first_slot + slot, scratch);
    if (sum > 0) offer({slots_.ids[first_slot + slot], sum});
  }
  if (partition && question_.min_sum != 0) std::sort(candidates.begin(), candidates.end());
}

void AnswerBuilder::offer(Neighbour neighbour) {
  auto& heap = answer_.nearest;  // the farthest on top
  if (heap.size() < question_.top) {
    heap.push_back(neighbour);
    std::push_heap(heap.begin(), heap.end(), nearer);
  } else if (nearer(neighbour, heap.front())) {
    std::pop_heap(heap.begin(), heap.end(), nearer);
    heap.back() = neighbour;
    std::push_heap(heap.begin(), heap.end(), nearer);
  }
  if (heap.size() == question_.top) {
    nearest_cutoff_ = std::max(nearest_cutoff_, coarse(heap.front().sum_of_minima));
  }
}

void AnswerBuilder::sort_nearest() {
  std::sort(answer_.nearest.begin(), answer_.nearest.end(), nearer);
}

}  // namespace kith::pairs::internal
