#include "similar/exact/answer_builder.h"

#include <functional>

#if KITH_X86_KERNELS
#include <immintrin.h>
#endif

namespace kith::similar {
namespace {

size_t next_scalar(std::span<const uint16_t> sums, size_t from, uint16_t cutoff) {
  while (from < sums.size() && !any_at_least(sums.data() + from, cutoff)) from += sum_group;
  return from;
}

#if KITH_X86_KERNELS
__attribute__((target("avx2"))) size_t next_avx2(std::span<const uint16_t> sums, size_t from,
                                                 uint16_t cutoff) {
  const __m256i cutoffs = _mm256_set1_epi16(static_cast<short>(cutoff));
  for (; from < sums.size(); from += sum_group) {
    const auto* const group = reinterpret_cast<const __m256i*>(sums.data() + from);
    const __m256i largest = _mm256_max_epu16(
        _mm256_max_epu16(_mm256_loadu_si256(group), _mm256_loadu_si256(group + 1)),
        _mm256_max_epu16(_mm256_loadu_si256(group + 2), _mm256_loadu_si256(group + 3)));
    // max(x, bar) == x says x >= bar.
    const __m256i reached = _mm256_cmpeq_epi16(_mm256_max_epu16(largest, cutoffs), largest);
    if (_mm256_movemask_epi8(reached) != 0) break;
  }
  return from;
}
#endif

}  // namespace

size_t next_group_at_least(std::span<const uint16_t> sums, size_t from, uint16_t cutoff,
                           sketch::SimdLevel level) {
#if KITH_X86_KERNELS
  if (level >= sketch::SimdLevel::avx2) return next_avx2(sums, from, cutoff);
#endif
  static_cast<void>(level);
  return next_scalar(sums, from, cutoff);
}

void NearestHeap::raise_cutoff(std::span<const uint16_t> sums, IdRange except, uint32_t slack,
                               std::vector<uint16_t>& largest) {
  if (top_ == 0) return;
  largest.clear();
  uint32_t above = cutoff_ + slack;  // only sums above it can raise the bar
  const auto keep_k = [&] {
    if (largest.size() < top_) return;
    std::nth_element(largest.begin(), largest.begin() + static_cast<ptrdiff_t>(top_ - 1),
                     largest.end(), std::greater<>());
    largest.resize(top_);
    above = std::max<uint32_t>(above, largest.back());
  };
  const size_t room = 4 * top_ + sum_group;
  for (size_t first = 0; above < UINT16_MAX; first += sum_group) {
    if (except.has(static_cast<uint32_t>(first))) first = except.end / sum_group * sum_group;
    if (first < sums.size()) {
      first = next_group_at_least(sums, first, static_cast<uint16_t>(above + 1));
    }
    if (first >= sums.size()) break;
    for (size_t slot = first; slot < first + sum_group; ++slot) {
      if (sums[slot] > above && !except.has(static_cast<uint32_t>(slot))) {
        largest.push_back(sums[slot]);
      }
    }
    if (largest.size() >= room) keep_k();
  }
  keep_k();
  if (largest.size() == top_) cutoff_ = std::max(cutoff_, largest.back() - slack);
}

void NearestHeap::offer(Neighbour neighbour) {
  if (neighbour.sum_of_minima < min_sum_) return;
  auto& heap = *list_;
  if (heap.size() < top_) {
    heap.push_back(neighbour);
    std::push_heap(heap.begin(), heap.end(), nearer);
  } else if (nearer(neighbour, heap.front())) {
    std::pop_heap(heap.begin(), heap.end(), nearer);
    heap.back() = neighbour;
    std::push_heap(heap.begin(), heap.end(), nearer);
  }
  if (heap.size() == top_) cutoff_ = std::max(cutoff_, coarse(heap.front().sum_of_minima));
}

AnswerBuilder::AnswerBuilder(sketch::Bag bag, const Question& question, const SlotTable& slots,
                             Answer& answer, QueryWork& work)
    : bag_(bag),
      question_(question),
      slots_(slots),
      answer_(answer),
      work_(work),
      least_(question.min_sum == 0 ? UINT32_MAX : coarse(question.min_sum)),
      nearest_(answer.nearest, question.top, question.min_near),
      elsewhere_(answer.other_sites, question.other_sites.top, question.other_sites.min_near) {
  answer_.similar.clear();
  answer_.count = 0;
}

IdRange AnswerBuilder::own_slots_in(size_t first_slot, size_t slots) const {
  const auto within = [&](size_t slot) {
    return static_cast<uint32_t>(std::clamp(slot, first_slot, first_slot + slots) - first_slot);
  };
  return {within(own_slots().begin), within(own_slots().end)};
}

void AnswerBuilder::raise_cutoff(std::span<const uint16_t> sums, size_t first_slot, uint32_t slack,
                                 AnswerScratch& scratch) {
  nearest_.raise_cutoff(sums, {}, slack, scratch.largest);
  elsewhere_.raise_cutoff(sums, own_slots_in(first_slot, sums.size()), slack, scratch.largest);
}

void AnswerBuilder::finish(std::span<const uint16_t> sums, size_t first_slot, uint32_t rest,
                           uint32_t slack, AnswerScratch& scratch) {
  if (scratch.candidates.empty()) return;
  scratch.weights.set(bag_, slots_.term_limit);
  if (question_.top > 0 || question_.other_sites.top > 0) {
    take_nearest(sums, first_slot, rest, scratch);
  }
  if (question_.min_sum > 0) take_similar(sums, first_slot, rest, slack, scratch);
  scratch.weights.clear();
}

void AnswerBuilder::take_similar(std::span<const uint16_t> sums, size_t first_slot, uint32_t rest,
                                 uint32_t slack, AnswerScratch& scratch) {
  for (const uint32_t slot : scratch.candidates) {
    if (sums[slot] + rest < least_) continue;
    const uint32_t id = slots_.ids[first_slot + slot];
    if (!question_.of_class.has(id)) continue;
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
    if (!question_.of_class.has(slots_.ids[first_slot + slot])) continue;
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
  const size_t top = std::max(question_.top, question_.other_sites.top);
  const bool partition = candidates.size() > top;
  if (partition) {
    std::nth_element(
        candidates.begin(), candidates.begin() + static_cast<ptrdiff_t>(top), candidates.end(),
        [&](uint32_t a, uint32_t b) { return sums[a] != sums[b] ? sums[a] > sums[b] : a < b; });
  }
  for (const uint32_t slot : candidates) offer(first_slot + slot, sums[slot] + rest, scratch);
  if (partition && question_.min_sum != 0) std::sort(candidates.begin(), candidates.end());
}

// Offers the bag of a slot, whose sum is at most `most` coarse units.
void AnswerBuilder::offer(size_t slot, uint32_t most, const AnswerScratch& scratch) {
  const bool is_near = most >= nearest_.cutoff();
  const bool is_elsewhere =
      most >= elsewhere_.cutoff() && !own_slots().has(static_cast<uint32_t>(slot));
  if (!is_near && !is_elsewhere) return;
  const uint32_t sum = exact_sum(slot, scratch);
  if (sum == 0) return;
  const uint32_t id = slots_.ids[slot];
  const OtherSitesQuestion& others = question_.other_sites;
  if (is_near) nearest_.offer({id, sum});
  if (is_elsewhere) elsewhere_.offer({others.sites->first_outside(id, others.site), sum});
}

void AnswerBuilder::sort_nearest() {
  nearest_.sort();
  elsewhere_.sort();
}

}  // namespace kith::similar
