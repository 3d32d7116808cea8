#include "jobs/stream/shared_prefixes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <utility>

#include "base/check.h"
#include "similar/fingerprints/simhash_join.h"
#include "sketch/estimate.h"

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

namespace {

int shared_bits(uint64_t a, uint64_t b) {
  return std::countl_zero(a ^ b);
}

// The elements of many sets, and in how many sets each of them is.
class Frequencies {
 public:
  explicit Frequencies(const std::vector<sketch::HashSet>& sets) {
    size_t size = 0;
    for (const sketch::HashSet& set : sets) size += set.size();
    elements_.reserve(size);
    for (const sketch::HashSet& set : sets)
      elements_.insert(elements_.end(), set.begin(), set.end());
    std::ranges::sort(elements_);
    size_t distinct = 0;
    for (size_t at = 0; at < size; ++at) {
      if (at == 0 || elements_[at] != elements_[distinct - 1]) {
        elements_[distinct++] = elements_[at];
        counts_.push_back(0);
      }
      ++counts_.back();
    }
    elements_.resize(distinct);
  }

  uint32_t of(uint64_t element) const {
    return counts_[static_cast<size_t>(std::ranges::lower_bound(elements_, element) -
                                       elements_.begin())];
  }

 private:
  std::vector<uint64_t> elements_;  // ascending
  std::vector<uint32_t> counts_;
};

class PrefixSearch {
 public:
  PrefixSearch(const SetsView& sets, double similarity)
      : sets_(sets), similarity_(similarity), prefixes_(sets.size()) {
    order_pages();
  }

  std::vector<SharedPrefixes> run() && {
    index_prefixes();
    for (uint32_t at = 0; at < distinct_.size(); ++at) find_alike(at);
    for (uint32_t at = 0; at < distinct_.size(); ++at) find_unlike(at);
    for (const auto& [page, at] : pages_) {
      prefixes_[page].unlike = found_[at].unlike;
      prefixes_[page].alike = std::max(prefixes_[page].alike, found_[at].alike);
    }
    return std::move(prefixes_);
  }

 private:
  // Sets by their fingerprints, equal ones once: these share all bits and resemble each other.
  void order_pages() {
    std::vector<std::pair<uint64_t, uint32_t>> order;
    for (uint32_t page = 0; page < sets_.size(); ++page) {
      if (!sets_[page].empty()) order.emplace_back(similar::set_fingerprint(sets_[page]), page);
    }
    std::ranges::sort(order, [&](const auto& a, const auto& b) {
      if (a.first != b.first) return a.first < b.first;
      return std::ranges::lexicographical_compare(sets_[a.second], sets_[b.second]);
    });
    for (const auto& [fingerprint, page] : order) {
      const bool is_equal = !distinct_.empty() && std::ranges::equal(sets_[page], distinct_.back());
      if (is_equal) {
        found_.back().alike = 64;
      } else {
        distinct_.push_back(sets_[page]);
        fingerprints_.push_back(fingerprint);
        found_.emplace_back();
      }
      pages_.emplace_back(page, static_cast<uint32_t>(distinct_.size() - 1));
    }
  }

  // The rarest elements of a set, ties by their values. A set that is similar to it has at least
  // `common` of its elements, so it has one of these; and likewise the other way round.
  void append_prefix(const Frequencies& frequencies, sketch::HashSet set,
                     std::vector<std::pair<uint32_t, uint64_t>>& ranked) {
    ranked.clear();
    for (const uint64_t element : set) ranked.emplace_back(frequencies.of(element), element);
    // A product that is rounded up must not make the prefix too short.
    constexpr double rounding = 1e-9;
    const double common = std::ceil(similarity_ * static_cast<double>(set.size()) - rounding);
    const size_t size = set.size() - std::max<size_t>(1, static_cast<size_t>(common)) + 1;
    std::ranges::partial_sort(ranked, ranked.begin() + static_cast<ptrdiff_t>(size));
    for (size_t i = 0; i < size; ++i) {
      // No other set has an element of frequency 1.
      if (ranked[i].first > 1) elements_.push_back(ranked[i].second);
    }
  }

  void index_prefixes() {
    const Frequencies frequencies(distinct_);
    std::vector<std::pair<uint32_t, uint64_t>> ranked;
    for (const sketch::HashSet& set : distinct_) {
      offsets_.push_back(elements_.size());
      append_prefix(frequencies, set, ranked);
    }
    offsets_.push_back(elements_.size());
    entries_.reserve(elements_.size());
    for (uint32_t at = 0; at < distinct_.size(); ++at) {
      for (size_t i = offsets_[at]; i < offsets_[at + 1]; ++i) {
        entries_.emplace_back(elements_[i], at);
      }
    }
    std::ranges::sort(entries_);
    seen_.assign(distinct_.size(), UINT32_MAX);
  }

  bool resemble(uint32_t a, uint32_t b) const {
    return sketch::overlap(distinct_[a], distinct_[b]).resemblance() >= similarity_;
  }

  // Compares a set with those behind it that may resemble it.
  void find_alike(uint32_t at) {
    for (size_t i = offsets_[at]; i < offsets_[at + 1]; ++i) {
      auto entry = std::ranges::upper_bound(entries_, std::pair(elements_[i], at));
      for (; entry != entries_.end() && entry->first == elements_[i]; ++entry) {
        const uint32_t other = entry->second;
        if (std::exchange(seen_[other], at) != at) compare(at, other);
      }
    }
  }

  void compare(uint32_t a, uint32_t b) {
    const int bits = shared_bits(fingerprints_[a], fingerprints_[b]);
    if (bits <= found_[a].alike && bits <= found_[b].alike) return;
    if (!resemble(a, b)) return;
    found_[a].alike = std::max(found_[a].alike, bits);
    found_[b].alike = std::max(found_[b].alike, bits);
  }

  // In the order of fingerprints the shared bits only become fewer with the distance.
  void find_unlike(uint32_t at) {
    for (uint32_t other = at; other-- > 0;) {
      if (is_settled(at, other)) break;
    }
    for (uint32_t other = at + 1; other < distinct_.size(); ++other) {
      if (is_settled(at, other)) break;
    }
  }

  // Whether sets that are farther on the side of `other` tell nothing more.
  bool is_settled(uint32_t at, uint32_t other) {
    const int bits = shared_bits(fingerprints_[at], fingerprints_[other]);
    if (bits < min_prefix_bits || bits <= found_[at].unlike) return true;
    if (resemble(at, other)) return false;
    found_[at].unlike = bits;
    return true;
  }

  const SetsView sets_;
  const double similarity_;
  std::vector<SharedPrefixes> prefixes_;  // by page
  // By place in the order of fingerprints.
  std::vector<sketch::HashSet> distinct_;
  std::vector<uint64_t> fingerprints_;
  std::vector<SharedPrefixes> found_;
  std::vector<std::pair<uint32_t, uint32_t>> pages_;  // page and place
  std::vector<size_t> offsets_;                       // of prefixes, in elements_
  std::vector<uint64_t> elements_;
  std::vector<std::pair<uint64_t, uint32_t>> entries_;  // element and place, ascending
  std::vector<uint32_t> seen_;  // by place: the last set that was compared with it
};

}  // namespace

std::vector<SharedPrefixes> shared_prefixes(const SetsView& sets, double similarity) {
  return PrefixSearch(sets, similarity).run();
}

}  // namespace kith::jobs
