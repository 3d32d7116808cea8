#include "similar/tables/word_lists.h"

#include <algorithm>
#include <atomic>

#include "base/hash.h"

namespace kith::similar {
namespace {

constexpr uint64_t read_bytes = 1 << 20;  // of bags, at a time

// Calls visit(id, bag) for the representatives in the range, from all threads.
template <class Visit>
void for_each_bag(const sketch::BagCollection& bags, const DuplicateGroups& groups, IdRange range,
                  ThreadPool& pool, const Visit& visit) {
  std::vector<sketch::BagBuffer> buffers(pool.size());
  pool.for_chunks(range.end - range.begin, bags.bags_in(read_bytes),
                  [&](size_t begin, size_t end, unsigned worker) {
                    const size_t first = range.begin + begin;
                    const size_t last = range.begin + end;
                    const sketch::BagBlock block = bags.block(first, last, buffers[worker]);
                    for (size_t id = first; id < last; ++id) {
                      const auto own = static_cast<uint32_t>(id);
                      if (groups.is_representative(own)) visit(own, block[id]);
                    }
                  });
}

template <class Count>
Count add_one(Count& count) {
  return std::atomic_ref(count).fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

WordCounts::WordCounts(const sketch::BagCollection& bags, const DuplicateGroups& groups,
                       uint64_t term_limit, ThreadPool& pool)
    : is_shared_(term_limit > max_lists(bags.size())),
      counts_(std::min(term_limit, max_lists(bags.size()))) {
  for_each_bag(bags, groups, {0, static_cast<uint32_t>(bags.size())}, pool,
               [&](uint32_t, sketch::Bag bag) {
                 for (const sketch::BagEntry entry : bag) add_one(counts_[list_of(entry.term)]);
               });
}

size_t WordCounts::list_of(uint32_t term) const {
  return is_shared_ ? mix64(term) % counts_.size() : term;
}

uint64_t WordCounts::postings(uint32_t max_count) const {
  uint64_t all = 0;
  for (size_t list = 0; list < lists(); ++list) {
    if (is_listed(list, max_count)) all += counts_[list];
  }
  return all;
}

WordLists::WordLists(const sketch::BagCollection& bags, const DuplicateGroups& groups,
                     const WordCounts& counts, uint32_t max_count, IdRange range, ThreadPool& pool)
    : begins_(counts.lists() + 1) {
  const auto for_each_entry = [&](const auto& visit) {
    for_each_bag(bags, groups, range, pool, [&](uint32_t id, sketch::Bag bag) {
      for (const sketch::BagEntry entry : bag) {
        const size_t list = counts.list_of(entry.term);
        if (counts.is_listed(list, max_count)) visit(list, Posting{id, entry.weight});
      }
    });
  };
  // begins_[l + 1] holds the size of list l, then its begin, which filling the list moves to its
  // end.
  for_each_entry([&](size_t list, Posting) { add_one(begins_[list + 1]); });
  uint64_t begin = 0;
  for (size_t list = 1; list < begins_.size(); ++list) {
    const uint64_t size = begins_[list];
    begins_[list] = begin;
    begin += size;
  }
  postings_ = LargeArray<Posting>(begin);
  for_each_entry(
      [&](size_t list, Posting posting) { postings_[add_one(begins_[list + 1])] = posting; });
}

}  // namespace kith::similar
