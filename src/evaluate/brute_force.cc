#include "evaluate/brute_force.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/memory.h"
#include "base/random.h"
#include "similar/duplicates.h"
#include "similar/exact/term_table.h"
#include "sketch/simd.h"

namespace kith::evaluate {

double SimilarityHistogram::similarity_at(uint32_t bin) {
  if (bin == 0) return 0;
  if (bin == bins - 1) return 1;
  const uint32_t from = bin - 1;
  const double middle = std::ldexp(1 + (from % per_doubling + 0.5) / per_doubling,
                                   8 + static_cast<int>(from / per_doubling));
  return middle / (2.0 * sketch::bag_total - middle);
}

namespace {

constexpr size_t columns = 256;  // queries compared in one pass

// One value for every query of a pass. The widths in use are multiples of `step`, so that loops
// over them need no remainder.
struct alignas(64) Row {
  static constexpr size_t step = 16;
  std::array<uint32_t, columns> values{};
};

// Tells most terms of no query from the others without leaving the first-level cache, which a
// table of all terms would.
class TermFilter {
 public:
  void insert(uint32_t term) { bits_[term % bits / 64] |= uint64_t{1} << term % 64; }
  bool may_have(uint32_t term) const { return (bits_[term % bits / 64] >> term % 64 & 1) != 0; }

 private:
  static constexpr uint32_t bits = 1u << 17;
  std::vector<uint64_t> bits_ = std::vector<uint64_t>(bits / 64);
};

// Which queries have a term, and with which weight.
class QueryIndex {
 public:
  explicit QueryIndex(const similar::BagCopies& queries)
      : width_((queries.size() + Row::step - 1) / Row::step * Row::step) {
    for (size_t query = 0; query < queries.size(); ++query) {
      for (const sketch::BagEntry entry : queries[query]) {
        const uint32_t term = numbers_.insert(entry.term);
        known_.insert(entry.term);
        if (term == lists_.size()) lists_.emplace_back();
        ++lists_[term].size;
      }
    }
    lay_out_lists();
    std::vector<uint32_t> filled(lists_.size());
    for (uint32_t column = 0; column < queries.size(); ++column) {
      for (const sketch::BagEntry entry : queries[column]) {
        const uint32_t term = numbers_.find(entry.term);
        const List& list = lists_[term];
        if (list.is_dense) {
          rows_[list.first].values[column] = entry.weight;
        } else {
          postings_[list.first + filled[term]++] = {column, entry.weight};
        }
      }
    }
  }

  size_t width() const { return width_; }

  // sums = sum_of_minima of the bag with every query.
  __attribute__((always_inline)) void add_up(sketch::Bag bag, Row& sums) const {
    std::fill_n(sums.values.data(), width_, 0u);
    for (const sketch::BagEntry entry : bag) {
      if (!known_.may_have(entry.term)) continue;
      const uint32_t term = numbers_.find(entry.term);
      if (term == similar::TermTable::none) continue;
      const List& list = lists_[term];
      if (list.is_dense) {
        const Row& row = rows_[list.first];
        for (size_t column = 0; column < width_; ++column) {
          sums.values[column] += std::min(row.values[column], entry.weight);
        }
        continue;
      }
      for (const Posting& posting : std::span(postings_).subspan(list.first, list.size)) {
        sums.values[posting.column] += std::min(posting.weight, entry.weight);
      }
    }
  }

 private:
  struct Posting {
    uint32_t column;
    uint32_t weight;
  };
  struct List {
    uint32_t first = 0;  // posting, or row
    uint32_t size = 0;   // queries
    bool is_dense = false;
  };

  void lay_out_lists() {
    uint32_t next = 0;
    for (List& list : lists_) {
      // Eight sums are added at a time in a row, one in a list.
      list.is_dense = list.size > width_ / 8;
      list.first = list.is_dense ? static_cast<uint32_t>(rows_.size()) : next;
      if (list.is_dense) {
        rows_.emplace_back();
      } else {
        next += list.size;
      }
    }
    postings_.resize(next);
  }

  size_t width_;
  TermFilter known_;
  similar::TermTable numbers_;
  std::vector<List> lists_;  // by number of the term
  std::vector<Posting> postings_;
  std::vector<Row> rows_;
};

// Collects what is true about one query, in any order of the bags.
class TruthBuilder {
 public:
  explicit TruthBuilder(const BruteForceOptions& options) : options_(&options) {}

  // The least sum that add() does something with.
  uint32_t bar() const {
    uint32_t bar = options_->top > 0 ? 1 : UINT32_MAX;
    if (options_->top > 0 && nearest_.size() == options_->top) bar = nearest_.front().sum_of_minima;
    return options_->min_sum > 0 ? std::min(bar, options_->min_sum) : bar;
  }

  void add(similar::Neighbour found) {
    if (options_->min_sum > 0 && found.sum_of_minima >= options_->min_sum) {
      ++degree_;
      if (options_->list_similar) similar_.push_back(found);
    }
    if (nearest_.size() < options_->top) {
      nearest_.push_back(found);
      std::ranges::push_heap(nearest_, similar::nearer);
    } else if (!nearest_.empty() && similar::nearer(found, nearest_.front())) {
      std::ranges::pop_heap(nearest_, similar::nearer);
      nearest_.back() = found;
      std::ranges::push_heap(nearest_, similar::nearer);
    }
  }

  // Moves what was found to the end of what others have found.
  void append_to(QueryTruth& truth) {
    truth.degree += degree_;
    truth.similar.insert(truth.similar.end(), similar_.begin(), similar_.end());
    truth.nearest.insert(truth.nearest.end(), nearest_.begin(), nearest_.end());
    free_memory(similar_);
  }

 private:
  const BruteForceOptions* options_;
  uint64_t degree_ = 0;
  std::vector<similar::Neighbour> similar_;
  std::vector<similar::Neighbour> nearest_;  // a heap, the farthest in front
};

// Puts what several builders have appended in order.
void put_in_order(QueryTruth& truth, uint32_t top) {
  std::ranges::sort(truth.similar, {}, &similar::Neighbour::id);
  std::ranges::sort(truth.nearest, similar::nearer);
  if (truth.nearest.size() > top) truth.nearest.resize(top);
}

// What one worker sees of the bags in one pass.
class Scan {
 public:
  Scan(const sketch::BagCollection& bags, const QueryIndex& index,
       std::span<const uint32_t> queries, const BruteForceOptions& options)
      : bags_(bags),
        index_(index),
        queries_(queries),
        groups_(options.histogram_groups),
        classes_(options.classes),
        builders_(queries.size(), TruthBuilder(options)) {
    bars_.values.fill(UINT32_MAX);
    for (size_t column = 0; column < queries.size(); ++column) {
      bars_.values[column] = builders_[column].bar();
    }
    if (groups_ != nullptr) counts_.resize(columns * SimilarityHistogram::bins);
  }

  void take(size_t first, size_t last) {
    const sketch::BagBlock block = bags_.block(first, last, buffer_);
#if KITH_X86_KERNELS
    if (sketch::best_simd_level() >= sketch::SimdLevel::avx2)
      return take_by_avx2(block, first, last);
#endif
    take_bags(block, first, last);
  }

  void append_to(std::span<QueryTruth> truths) {
    for (size_t column = 0; column < truths.size(); ++column) {
      builders_[column].append_to(truths[column]);
      if (groups_ == nullptr) continue;
      for (uint32_t bin = 0; bin < SimilarityHistogram::bins; ++bin) {
        truths[column].histogram.add_to_bin(bin, counts_[bin * columns + column]);
      }
    }
  }

 private:
  // One source for both instruction sets: it is inlined into a function that is compiled for
  // the one or the other.
  __attribute__((always_inline)) void take_bags(const sketch::BagBlock& bags, size_t first,
                                                size_t last) {
    Row sums;
    for (size_t id = first; id < last; ++id) {
      const sketch::Bag bag = bags[id];
      if (bag.empty()) continue;
      index_.add_up(bag, sums);
      for (size_t block = 0; block < index_.width(); block += Row::step) {
        bool is_of_interest = false;
        for (size_t column = block; column < block + Row::step; ++column) {
          is_of_interest |= sums.values[column] >= bars_.values[column];
        }
        if (is_of_interest) offer(sums, block, static_cast<uint32_t>(id));
      }
      if (groups_ == nullptr || !groups_->is_representative(static_cast<uint32_t>(id))) continue;
      for (size_t column = 0; column < index_.width(); ++column) {
        sums.values[column] = SimilarityHistogram::bin_of(sums.values[column]);
      }
      for (size_t column = 0; column < index_.width(); ++column) {
        ++counts_[sums.values[column] * columns + column];
      }
    }
  }
#if KITH_X86_KERNELS
  __attribute__((target("avx2"))) void take_by_avx2(const sketch::BagBlock& bags, size_t first,
                                                    size_t last) {
    take_bags(bags, first, last);
  }
#endif

  void offer(const Row& sums, size_t block, uint32_t id) {
    for (size_t column = block; column < block + Row::step; ++column) {
      if (sums.values[column] < bars_.values[column] || queries_[column] == id) continue;
      if (!classes_.share(queries_[column], id)) continue;
      builders_[column].add({id, sums.values[column]});
      bars_.values[column] = builders_[column].bar();
    }
  }

  const sketch::BagCollection& bags_;
  sketch::BagBuffer buffer_;
  const QueryIndex& index_;
  std::span<const uint32_t> queries_;
  const similar::DuplicateGroups* groups_;
  const similar::Classes classes_;
  std::vector<TruthBuilder> builders_;
  Row bars_;
  // Of the histograms bin by bin, all columns side by side: most sums fall into few bins.
  std::vector<uint32_t> counts_;
};

// Compares the queries of an index, at most `columns`, with all bags.
void compare(const sketch::BagCollection& bags, const QueryIndex& index,
             std::span<const uint32_t> queries, const BruteForceOptions& options, ThreadPool& pool,
             std::span<QueryTruth> truths) {
  std::vector<std::unique_ptr<Scan>> scans;
  for (unsigned worker = 0; worker < pool.size(); ++worker) {
    scans.push_back(std::make_unique<Scan>(bags, index, queries, options));
  }
  pool.for_chunks(
      bags.size(), bags.bags_in(1 << 20),
      [&](size_t first, size_t last, unsigned worker) { scans[worker]->take(first, last); });
  for (const auto& scan : scans) scan->append_to(truths);
  for (size_t i = 0; i < queries.size(); ++i) {
    truths[i].id = queries[i];
    put_in_order(truths[i], options.top);
  }
}

}  // namespace

BruteForceResult brute_force(const sketch::BagCollection& bags, std::span<const uint32_t> queries,
                             const BruteForceOptions& options, ThreadPool& pool) {
  BruteForceResult result;
  result.queries.resize(queries.size());
  for (size_t first = 0; first < queries.size(); first += columns) {
    const auto some = queries.subspan(first, std::min(columns, queries.size() - first));
    compare(bags, QueryIndex(similar::BagCopies(bags, some)), some, options, pool,
            std::span(result.queries).subspan(first, some.size()));
  }
  if (options.histogram_groups != nullptr) {
    // A query meets its own group once, at its representative: that is no other group.
    for (QueryTruth& truth : result.queries) {
      if (!bags[truth.id].empty()) truth.histogram.remove(sketch::bag_total);
    }
  }
  return result;
}

std::vector<uint64_t> sample_places(uint64_t n, size_t count, uint64_t seed) {
  std::vector<uint64_t> places(std::min<uint64_t>(n, count));
  std::iota(places.begin(), places.end(), uint64_t{0});
  if (n <= count) return places;
  // The first steps of a shuffle of all numbers, of which only those that have moved are kept.
  boost::unordered_flat_map<uint64_t, uint64_t> moved;
  const auto at = [&](uint64_t place) {
    const auto found = moved.find(place);
    return found == moved.end() ? place : found->second;
  };
  Rng rng(seed);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t other = i + rng.below(n - i);
    places[i] = at(other);
    moved[other] = at(i);
  }
  std::ranges::sort(places);
  return places;
}

std::vector<uint32_t> sample_queries(const sketch::BagCollection& bags, size_t count, uint64_t seed,
                                     std::span<const uint8_t> is_wanted) {
  std::vector<uint32_t> ids;
  ids.reserve(bags.size());
  for (uint32_t id = 0; id < bags.size(); ++id) {
    if (!bags[id].empty() && (is_wanted.empty() || is_wanted[id] != 0)) ids.push_back(id);
  }
  std::vector<uint32_t> sample;
  for (const uint64_t place : sample_places(ids.size(), count, seed)) sample.push_back(ids[place]);
  return sample;
}

}  // namespace kith::evaluate
