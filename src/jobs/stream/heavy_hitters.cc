#include "jobs/stream/heavy_hitters.h"

#include <algorithm>
#include <functional>

#include "base/check.h"

namespace kith::jobs {

// The error is rounded up, so that the count less it is never more than what was counted.
HeavyHitters::Counter HeavyHitters::Counter::halved(uint64_t times) const {
  const uint32_t left = jobs::halved(count, times);
  const uint32_t down = jobs::halved(error, times);
  const bool is_rounded = error > 0 && (times >= 32 || down << times != error);
  return {word, left, std::min(left, down + (is_rounded ? 1 : 0))};
}

HeavyHitters::HeavyHitters(uint32_t most, bool has_index) : most_(most) {
  KITH_CHECK(most >= 4);
  if (has_index) places_ = std::make_unique<std::vector<uint32_t>>();
}

const HeavyHitters::Counter* HeavyHitters::find(uint32_t word) const {
  if (places_ != nullptr) {
    const uint32_t place = word < places_->size() ? (*places_)[word] : 0;
    return place == 0 ? nullptr : &counters_[place - 1];
  }
  const auto found = std::ranges::find(counters_, word, &Counter::word);
  return found == counters_.end() ? nullptr : &*found;
}

uint32_t HeavyHitters::most_of(uint32_t word) const {
  const Counter* const counter = find(word);
  return counter == nullptr ? floor_ : counter->count;
}

bool HeavyHitters::add(uint32_t word, uint32_t weight, std::vector<uint32_t>& gone) {
  if (const Counter* const known = find(word); known != nullptr) {
    counters_[static_cast<size_t>(known - counters_.data())].count += weight;
    return false;
  }
  enter({word, floor_ + weight, floor_});
  if (counters_.size() > most_) remove_few(gone);
  return true;
}

void HeavyHitters::enter(const Counter& counter) {
  counters_.push_back(counter);
  if (places_ == nullptr) return;
  if (counter.word >= places_->size()) places_->resize(counter.word + 1);
  (*places_)[counter.word] = static_cast<uint32_t>(counters_.size());
}

// Three quarters may stay. Equal counts go together, so that the order does not matter.
void HeavyHitters::remove_few(std::vector<uint32_t>& gone) {
  std::vector<uint32_t> counts;
  counts.reserve(counters_.size());
  for (const Counter& counter : counters_) counts.push_back(counter.count);
  const auto first_to_go = counts.begin() + most_ / 4 * 3;
  std::ranges::nth_element(counts, first_to_go, std::greater());
  floor_ = *first_to_go;
  remove_below(floor_ + 1, gone);
}

void HeavyHitters::remove_below(uint32_t least, std::vector<uint32_t>& gone) {
  const auto goes = [&](const Counter& counter) {
    if (counter.count >= least) return false;
    gone.push_back(counter.word);
    if (places_ != nullptr) (*places_)[counter.word] = 0;
    return true;
  };
  std::erase_if(counters_, goes);
  if (places_ == nullptr) return;
  for (size_t i = 0; i < counters_.size(); ++i) {
    (*places_)[counters_[i].word] = static_cast<uint32_t>(i + 1);
  }
}

void HeavyHitters::halve(uint64_t times, std::vector<uint32_t>& gone) {
  if (times == 0) return;
  floor_ = halved(floor_, times);
  for (Counter& counter : counters_) counter = counter.halved(times);
  remove_below(1, gone);
}

uint64_t HeavyHitters::bytes() const {
  return counters_.capacity() * sizeof(Counter) +
         (places_ == nullptr ? 0 : places_->capacity() * sizeof(uint32_t));
}

void HeavyHitters::restore(std::span<const Counter> counters, uint32_t floor) {
  KITH_CHECK(counters_.empty() && counters.size() <= most_);
  counters_.reserve(counters.size());
  floor_ = floor;
  for (const Counter& counter : counters) enter(counter);
}

}  // namespace kith::jobs
