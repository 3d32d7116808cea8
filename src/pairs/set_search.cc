#include "pairs/set_search.h"

#include <algorithm>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/hash.h"

namespace kith::pairs {
namespace {

// Which queries have an element.
class Postings {
 public:
  Postings(const HashSets& sets, std::span<const uint32_t> queries) {
    std::vector<Entry> entries;
    for (uint32_t number = 0; number < queries.size(); ++number) {
      for (const uint64_t element : sets[queries[number]]) entries.push_back({element, number});
    }
    std::ranges::sort(entries, {}, [](const Entry& e) { return std::pair(e.element, e.query); });
    for (const Entry& entry : entries) {
      Range& range = ranges_[entry.element];
      if (range.end == 0) range.begin = static_cast<uint32_t>(queries_.size());
      queries_.push_back(entry.query);
      range.end = static_cast<uint32_t>(queries_.size());
      bits_[bit_of(entry.element) / 64] |= uint64_t{1} << bit_of(entry.element) % 64;
    }
  }

  std::span<const uint32_t> operator[](uint64_t element) const {
    if ((bits_[bit_of(element) / 64] >> bit_of(element) % 64 & 1) == 0) return {};
    const auto found = ranges_.find(element);
    if (found == ranges_.end()) return {};
    return std::span(queries_).subspan(found->second.begin,
                                       found->second.end - found->second.begin);
  }

 private:
  // Most elements are of no query: a small array says so without a look-up.
  static constexpr unsigned filter_bits = 22;
  struct Entry {
    uint64_t element;
    uint32_t query;
  };
  struct Range {
    uint32_t begin = 0;
    uint32_t end = 0;
  };
  static size_t bit_of(uint64_t element) { return element >> (64 - filter_bits); }

  std::vector<uint64_t> bits_ = std::vector<uint64_t>((size_t{1} << filter_bits) / 64);
  boost::unordered_flat_map<uint64_t, Range> ranges_;
  std::vector<uint32_t> queries_;
};

}  // namespace

std::vector<SetPair> similar_to(const HashSets& sets, std::span<const uint32_t> ids,
                                std::span<const uint32_t> queries, double similarity,
                                ThreadPool& pool) {
  constexpr size_t grain = 64;
  const Postings postings(sets, queries);
  std::vector<std::vector<SetPair>> found(pool.size());
  std::vector<std::vector<uint32_t>> counts(pool.size(), std::vector<uint32_t>(queries.size()));
  pool.for_chunks(ids.size(), grain, [&](size_t begin, size_t end, unsigned worker) {
    std::vector<uint32_t>& common = counts[worker];
    std::vector<uint32_t> met;
    for (size_t i = begin; i < end; ++i) {
      for (const uint64_t element : sets[ids[i]]) {
        for (const uint32_t query : postings[element]) {
          if (common[query]++ == 0) met.push_back(query);
        }
      }
      for (const uint32_t query : met) {
        const uint32_t id = queries[query];
        const SetOverlap both{sets.size_of(id), sets.size_of(ids[i]), common[query]};
        if (id != ids[i] && both.resemblance() >= similarity) {
          found[worker].push_back({id, ids[i], common[query]});
        }
        common[query] = 0;
      }
      met.clear();
    }
    // All of it: around what is read the kernel maps pages on either side.
    sets.release(0, sets.size());
  });
  std::vector<SetPair> all;
  for (const auto& some : found) all.insert(all.end(), some.begin(), some.end());
  std::ranges::sort(all);
  return all;
}

}  // namespace kith::pairs
