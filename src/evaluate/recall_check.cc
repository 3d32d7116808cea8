#include "evaluate/recall_check.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/hash.h"

namespace kith::evaluate {
namespace {

// Which queries have an element.
class Postings {
 public:
  // An entry in a vector that has grown, a place in the map, which doubles, and one of queries_.
  static constexpr uint64_t bytes_an_element = 3 * 16 + 3 * 16 + 8;

  Postings(const similar::HashSets& sets, std::span<const uint32_t> queries) {
    similar::SetBuffer buffer;
    std::vector<Entry> entries;
    for (uint32_t number = 0; number < queries.size(); ++number) {
      sets.for_parts(queries[number], buffer, [&](sketch::HashSet part) {
        for (const uint64_t element : part) entries.push_back({element, number});
      });
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

// What is looked for, and where.
struct Search {
  const similar::HashSets& query_sets;
  const similar::HashSets& sets;
  std::span<const uint32_t> ids;  // of the sets
  bool within;                    // of one collection: a query is no pair with itself
  const similar::PairRule& rule;
  ThreadPool& pool;
  const FoundSets& found;

  bool is_pair(uint32_t query, uint32_t id, const sketch::SetOverlap& both) const {
    return !(within && query == id) && rule.is_similar(both);
  }
};

// All of these queries at once; `first` is the number of the first of them.
void search(const Search& what, std::span<const uint32_t> queries, uint32_t first) {
  const similar::HashSets& sets = what.sets;
  const std::span<const uint32_t> ids = what.ids;
  ThreadPool& pool = what.pool;
  constexpr size_t grain = 64;
  const Postings postings(what.query_sets, queries);
  std::vector<std::vector<uint32_t>> counts(pool.size(), std::vector<uint32_t>(queries.size()));
  pool.for_chunks(ids.size(), grain, [&](size_t begin, size_t end, unsigned worker) {
    std::vector<uint32_t>& common = counts[worker];
    std::vector<uint32_t> met;
    similar::SetBuffer buffer;
    for (size_t i = begin; i < end; ++i) {
      sets.for_parts(ids[i], buffer, [&](sketch::HashSet part) {
        for (const uint64_t element : part) {
          for (const uint32_t query : postings[element]) {
            if (common[query]++ == 0) met.push_back(query);
          }
        }
      });
      for (const uint32_t query : met) {
        const uint32_t id = queries[query];
        const sketch::SetOverlap both{what.query_sets.size_of(id), sets.size_of(ids[i]),
                                      common[query]};
        if (what.is_pair(id, ids[i], both)) {
          what.found({first + query, ids[i], common[query]}, worker);
        }
        common[query] = 0;
      }
      met.clear();
    }
  });
}

// For one query, by its id and number: needs no memory, however large it is.
void search_one(const Search& what, uint32_t query, uint32_t number) {
  constexpr size_t grain = 16;
  what.pool.for_chunks(what.ids.size(), grain, [&](size_t begin, size_t end, unsigned worker) {
    for (size_t i = begin; i < end; ++i) {
      const sketch::SetOverlap both =
          similar::set_overlap(what.query_sets, query, what.sets, what.ids[i]);
      if (both.common == 0 || !what.is_pair(query, what.ids[i], both)) continue;
      what.found({number, what.ids[i], static_cast<uint32_t>(both.common)}, worker);
    }
  });
}

// As many queries at a time as fit the memory.
void search_within(const Search& what, std::span<const uint32_t> queries, uint64_t memory) {
  const uint64_t most =
      memory == 0 ? std::numeric_limits<uint64_t>::max() : memory / Postings::bytes_an_element;
  for (size_t begin = 0; begin < queries.size();) {
    uint64_t elements = what.query_sets.size_of(queries[begin]);
    size_t end = begin + 1;
    while (end < queries.size() && elements + what.query_sets.size_of(queries[end]) <= most) {
      elements += what.query_sets.size_of(queries[end++]);
    }
    if (elements > most) {
      search_one(what, queries[begin], static_cast<uint32_t>(begin));
    } else {
      search(what, queries.subspan(begin, end - begin), static_cast<uint32_t>(begin));
    }
    begin = end;
  }
}

}  // namespace

void find_similar(const similar::HashSets& sets, std::span<const uint32_t> ids,
                  std::span<const uint32_t> queries, const similar::PairRule& rule,
                  ThreadPool& pool, uint64_t memory, const FoundSets& found) {
  search_within({sets, sets, ids, true, rule, pool, found}, queries, memory);
}

void find_similar_across(const similar::HashSets& query_sets, std::span<const uint32_t> queries,
                         const similar::HashSets& sets, std::span<const uint32_t> ids,
                         const similar::PairRule& rule, ThreadPool& pool, uint64_t memory,
                         const FoundSets& found) {
  search_within({query_sets, sets, ids, false, rule, pool, found}, queries, memory);
}

namespace {

void check_pairs(const QueryTruth& truth, std::vector<similar::Neighbour> found,
                 RecallReport& report) {
  std::sort(found.begin(), found.end(),
            [](const similar::Neighbour& a, const similar::Neighbour& b) { return a.id < b.id; });
  uint64_t right = 0;
  for (size_t i = 0, t = 0; i < found.size(); ++i) {
    if (i > 0 && found[i].id == found[i - 1].id) continue;  // a repeat is wrong
    while (t < truth.similar.size() && truth.similar[t].id < found[i].id) ++t;
    right += t < truth.similar.size() && truth.similar[t] == found[i];
  }
  report.pair_recall.hits += right;
  report.pair_recall.of += truth.similar.size();
  report.pair_precision.hits += right;
  report.pair_precision.of += found.size();
}

void check_neighbours(const QueryTruth& truth, std::span<const similar::Neighbour> found,
                      uint32_t min_sum, const std::function<uint32_t(uint32_t, uint32_t)>& sum,
                      RecallReport& report) {
  const auto similar = [&](const similar::Neighbour& neighbour) {
    return min_sum > 0 && neighbour.sum_of_minima >= min_sum;
  };
  const uint32_t least = truth.nearest.empty() ? 0 : truth.nearest.back().sum_of_minima;
  std::vector<similar::Neighbour> right;
  for (const similar::Neighbour& neighbour : found) {
    if (neighbour.id == truth.id || neighbour.sum_of_minima == 0) continue;
    if (neighbour.sum_of_minima < least) continue;
    if (sum(truth.id, neighbour.id) == neighbour.sum_of_minima) right.push_back(neighbour);
  }
  std::sort(right.begin(), right.end(), similar::nearer);
  right.erase(std::unique(right.begin(), right.end()), right.end());
  const uint64_t hits = std::min(right.size(), truth.nearest.size());
  report.neighbour_recall.hits += hits;
  report.neighbour_recall.of += truth.nearest.size();
  const auto similar_ones = [&](std::span<const similar::Neighbour> list) {
    return static_cast<uint64_t>(std::ranges::count_if(list, similar));
  };
  report.similar_neighbour_recall.hits +=
      std::min(similar_ones(right), similar_ones(truth.nearest));
  report.similar_neighbour_recall.of += similar_ones(truth.nearest);
  report.neighbour_precision.hits += hits;
  report.neighbour_precision.of += found.size();
}

}  // namespace

RecallReport check_recall(const BruteForceResult& truth, const Found& pairs,
                          const Found& neighbours, uint32_t min_sum,
                          const std::function<uint32_t(uint32_t, uint32_t)>& sum) {
  RecallReport report;
  std::vector<similar::Neighbour> found;
  for (const QueryTruth& query : truth.queries) {
    ++report.queries;
    if (pairs) {
      found.clear();
      pairs(query.id, found);
      check_pairs(query, found, report);
    }
    if (neighbours) {
      found.clear();
      neighbours(query.id, found);
      check_neighbours(query, found, min_sum, sum, report);
    }
  }
  return report;
}

}  // namespace kith::evaluate
