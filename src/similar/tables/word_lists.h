// Which bags have a word: inverted lists of the words that stand in few bags. Internal to this
// folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/memory.h"
#include "base/parallel/thread_pool.h"
#include "similar/duplicates.h"
#include "similar/sites.h"
#include "sketch/bag.h"

namespace kith::similar {

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
