// Lists of the bags that have a word, and sums of minima by id with their bounds.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel/thread_pool.h"
#include "similar/duplicates.h"
#include "similar/neighbour.h"
#include "similar/sites.h"
#include "sketch/bag.h"

namespace kith::similar {

// Sums by id, for ids that lie anywhere. Internal to this folder.

// A hash table that is filled and emptied again and again. Not thread-safe.
class SumTable {
 public:
  // For no more than so many ids at a time, > 0.
  explicit SumTable(size_t most) : places_(std::bit_ceil(2 * most), Neighbour{no_id, 0}) {
    start(most);
  }

  // Makes the table, which is empty, one for no more than so many ids: the smaller, the faster.
  void start(size_t ids) {
    last_ = std::bit_ceil(2 * std::max<size_t>(ids, 1)) - 1;
    shift_ = std::countl_zero(last_);
  }
  // Adds to the sum of an id.
  void add(uint32_t id, uint32_t amount) {
    Neighbour& place = place_of(id);
    if (place.id == no_id) {
      place.id = id;
      used_.push_back(static_cast<uint32_t>(&place - places_.data()));
    }
    place.sum_of_minima += amount;
  }
  // An id has no sum any more.
  void leave_out(uint32_t id) {
    Neighbour& place = place_of(id);
    if (place.id == id) place.sum_of_minima = 0;
  }
  // Gives all ids and their sums, those of 0 not, in no order; the table is empty then.
  template <class Visit>
  void take(const Visit& visit) {
    for (const uint32_t at : used_) {
      if (places_[at].sum_of_minima > 0) visit(places_[at]);
      places_[at] = {no_id, 0};
    }
    used_.clear();
  }

  // What a table for so many ids takes at most.
  static constexpr uint64_t bytes(uint64_t most) {
    return std::bit_ceil(2 * most) * sizeof(Neighbour) + most * sizeof(uint32_t);
  }

 private:
  Neighbour& place_of(uint32_t id) {
    size_t place = (id * golden) >> shift_;
    while (places_[place].id != no_id && places_[place].id != id) place = (place + 1) & last_;
    return places_[place];
  }

  std::vector<Neighbour> places_;  // no_id: free
  uint64_t last_ = 1;              // place that is used; 2^i - 1
  int shift_ = 0;
  std::vector<uint32_t> used_;  // places
};

// Upper bounds of sums by id, for ids that lie anywhere. Internal to this folder.

// Counters that ids share by a hash, without telling which ids: small enough for the first cache,
// and an addition has no branch. Not thread-safe.
class SumBounds {
 public:
  // For no more than so many amounts at a time.
  explicit SumBounds(size_t most) : places_(places_for(most)) {}

  // Forgets all sums. `amounts`: how many will be added, about.
  void start(size_t amounts) {
    used_ = std::min(places_for(amounts), places_.size());
    shift_ = 32 - std::countr_zero(used_);
    std::fill_n(places_.begin(), used_, uint8_t{0});
  }
  void add(uint32_t id, uint32_t amount) {
    uint8_t& place = places_[(id * golden32) >> shift_];
    place = static_cast<uint8_t>(std::min(place + (amount + unit - 1) / unit, limit));
  }
  // Tells of ids whether their sums may exceed a given one: false if they do not, for sure. Valid
  // until an amount is added.
  class Above {
   public:
    bool operator()(uint32_t id) const { return places_[(id * golden32) >> shift_] > level_; }

   private:
    friend class SumBounds;
    Above(const SumBounds& bounds, uint32_t level)
        : places_(bounds.places_.data()), shift_(bounds.shift_), level_(level) {}
    const uint8_t* places_;
    int shift_;
    uint32_t level_;
  };
  Above above(uint32_t sum) const { return {*this, level_of(sum)}; }

  // A sum, `least` or more, that about `wanted` counters exceed, or up to twice as many, unless
  // they are equal or full.
  uint32_t exceeded_by(size_t wanted, uint32_t least) const {
    const size_t sample = std::min(used_, max_sample);
    const size_t few = std::max<size_t>(wanted * sample / used_, 1);
    uint32_t low = level_of(least);
    if (count_above(low, sample) <= 2 * few) return least;
    uint32_t high = limit;
    while (high - low > 1) {
      const uint32_t middle = low + (high - low) / 2;
      const size_t count = count_above(middle, sample);
      if (count < few) {
        high = middle;
      } else {
        low = middle;
        if (count <= 2 * few) break;
      }
    }
    return std::max(low * unit, least);
  }

  // What counters for so many amounts take at most.
  static constexpr uint64_t bytes(uint64_t most) { return places_for(most) * sizeof(uint8_t); }

 private:
  static constexpr uint32_t golden32 = 0x9e3779b1u;  // 2^32 by the golden32 ratio
  static constexpr uint32_t unit = 1u << 13;         // of a counter
  static constexpr uint32_t limit = UINT8_MAX;       // a full counter may stand for any sum
  static constexpr size_t places_of_amount = 4;      // few ids share one
  static constexpr size_t min_places = 64;
  static constexpr size_t max_sample = 4096;  // counters that are looked at for a quantile

  static uint32_t level_of(uint32_t sum) { return std::min(sum / unit, limit - 1); }
  static constexpr size_t places_for(size_t amounts) {
    return std::bit_ceil(std::max(places_of_amount * amounts, min_places));
  }
  // Hashes make any counters a sample of all.
  size_t count_above(uint32_t level, size_t sample) const {
    const auto bar = static_cast<uint8_t>(level);
    size_t count = 0;
    for (size_t begin = 0; begin < sample; begin += min_places) {
      uint8_t in_block = 0;
      for (size_t i = 0; i < min_places; ++i) in_block += places_[begin + i] > bar;
      count += in_block;
    }
    return count;
  }

  std::vector<uint8_t> places_;
  size_t used_ = min_places;  // of these, a power of two
  int shift_ = 32 - std::countr_zero(min_places);
};

// Which bags have a word: inverted lists of the words that stand in few bags. Internal to this
// folder.

// In how many distinct bags words stand. Immutable, thread-safe.
class WordCounts {
 public:
  // Counts the bags of representatives. Terms are below term_limit. Where that is more than
  // max_lists(), words share a list by a hash, and count together.
  WordCounts(const sketch::BagCollection& bags, const DuplicateGroups& groups, uint64_t term_limit,
             ThreadPool& pool);

  // The most lists of so many bags.
  static constexpr uint64_t max_lists(uint64_t bags) {
    constexpr uint64_t few = 1 << 16;
    return bags < few ? few : bags;
  }

  size_t lists() const { return counts_.size(); }
  size_t list_of(uint32_t term) const;
  // The bags of a list.
  uint32_t operator[](size_t list) const { return counts_[list]; }
  // Whether a list is worth having: of 2 bags at least, and no more than max_count.
  bool is_listed(size_t list, uint32_t max_count) const {
    return counts_[list] > 1 && counts_[list] <= max_count;
  }
  // The bags of all these lists.
  uint64_t postings(uint32_t max_count) const;

 private:
  bool is_shared_;  // whether a list may be of several words
  LargeArray<uint32_t> counts_;
};

// A bag that has a word, with its weight there.
struct Posting {
  uint32_t id;
  uint32_t weight;
};

// The lists of a range of ids. Immutable once made, thread-safe.
class WordLists {
 public:
  WordLists() = default;
  // Of the representatives in the range. Lists of fewer than 2 bags or more than max_count, by
  // `counts`, are empty.
  WordLists(const sketch::BagCollection& bags, const DuplicateGroups& groups,
            const WordCounts& counts, uint32_t max_count, IdRange range, ThreadPool& pool);

  // In no order.
  std::span<const Posting> operator[](size_t list) const {
    return postings_.span().subspan(begins_[list], begins_[list + 1] - begins_[list]);
  }

 private:
  LargeArray<uint64_t> begins_;  // by list, and the end of the last
  LargeArray<Posting> postings_;
};

}  // namespace kith::similar
