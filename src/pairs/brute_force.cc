#include "pairs/brute_force.h"

#include <algorithm>

#include "base/rng.h"
#include "pairs/term_table.h"
#include "sketch/simd.h"

namespace kith::pairs {
namespace {

constexpr size_t lanes = 8;  // queries compared at once

// Eight queries as one table: a row of eight weights for every term of any of them; row 0 is
// zero, and stands for all other terms.
class QueryTable {
 public:
  QueryTable(const BagCollection& bags, std::span<const uint32_t> queries) : rows_(lanes) {
    for (size_t lane = 0; lane < queries.size(); ++lane) {
      for (const BagEntry entry : bags[queries[lane]]) {
        const size_t row = 1 + size_t{terms_.insert(entry.term)};
        if (rows_.size() < (row + 1) * lanes) rows_.resize((row + 1) * lanes);
        rows_[row * lanes + lane] = entry.weight;
      }
    }
  }

  // sums[i * lanes + lane] = sum_of_minima of bag first + i with each query.
  void sums_of_minima(const BagCollection& bags, size_t first, size_t count, uint32_t* sums) const {
#if KITH_X86_KERNELS
    if (best_simd_level() >= SimdLevel::avx2) return add_up_avx2(bags, first, count, sums);
#endif
    add_up(bags, first, count, sums);
  }

 private:
  // One source for both instruction sets: it is inlined into a function that is compiled for
  // the one or the other.
  __attribute__((always_inline)) void add_up(const BagCollection& bags, size_t first, size_t count,
                                             uint32_t* sums) const {
    for (size_t i = 0; i < count; ++i) {
      uint32_t total[lanes] = {};
      for (const BagEntry entry : bags[first + i]) {
        // none + 1 is row 0.
        const uint32_t* row = rows_.data() + size_t{terms_.find(entry.term) + 1} * lanes;
        for (size_t lane = 0; lane < lanes; ++lane) {
          total[lane] += std::min(row[lane], entry.weight);
        }
      }
      std::copy_n(total, lanes, sums + i * lanes);
    }
  }
#if KITH_X86_KERNELS
  __attribute__((target("avx2"))) void add_up_avx2(const BagCollection& bags, size_t first,
                                                   size_t count, uint32_t* sums) const {
    add_up(bags, first, count, sums);
  }
#endif

  TermTable terms_;
  std::vector<uint32_t> rows_;
};

static_assert(static_cast<uint32_t>(TermTable::none + 1) == 0);

// Collects what is true about one query, bag by bag in order of id.
class TruthBuilder {
 public:
  TruthBuilder(uint32_t query, const BruteForceOptions& options) : options_(options) {
    truth_.id = query;
  }

  void add(uint32_t id, uint32_t sum, SimilarityHistogram& histogram) {
    if (sum == 0 || id == truth_.id) return;
    histogram.add(sum);
    if (options_.least_sum > 0 && sum >= options_.least_sum) truth_.similar.push_back({id, sum});
    auto& heap = truth_.nearest;
    if (heap.size() < options_.top) {
      heap.push_back({id, sum});
      std::push_heap(heap.begin(), heap.end(), nearer);
    } else if (!heap.empty() && sum > heap.front().sum_of_minima) {
      std::pop_heap(heap.begin(), heap.end(), nearer);
      heap.back() = {id, sum};
      std::push_heap(heap.begin(), heap.end(), nearer);
    }
  }

  QueryTruth result() && {
    std::sort(truth_.nearest.begin(), truth_.nearest.end(), nearer);
    return std::move(truth_);
  }

 private:
  const BruteForceOptions& options_;
  QueryTruth truth_;
};

// Compares a batch of at most eight queries with all bags.
void compare_batch(const BagCollection& bags, std::span<const uint32_t> queries,
                   const BruteForceOptions& options, std::span<QueryTruth> truths,
                   SimilarityHistogram& histogram) {
  const QueryTable table(bags, queries);
  std::vector<TruthBuilder> builders;
  for (const uint32_t query : queries) builders.emplace_back(query, options);
  constexpr size_t chunk = 256;
  uint32_t sums[chunk * lanes];
  for (size_t first = 0; first < bags.size(); first += chunk) {
    const size_t count = std::min(chunk, bags.size() - first);
    table.sums_of_minima(bags, first, count, sums);
    for (size_t i = 0; i < count; ++i) {
      for (size_t lane = 0; lane < queries.size(); ++lane) {
        builders[lane].add(static_cast<uint32_t>(first + i), sums[i * lanes + lane], histogram);
      }
    }
  }
  for (size_t lane = 0; lane < queries.size(); ++lane) {
    truths[lane] = std::move(builders[lane]).result();
  }
}

}  // namespace

void SimilarityHistogram::add(uint32_t sum_of_minima) {
  if (sum_of_minima == 0) return;
  const auto bin = static_cast<size_t>(similarity_of(sum_of_minima) * double{bins});
  ++counts_[std::min(bin, bins - 1)];
}

void SimilarityHistogram::merge(const SimilarityHistogram& other) {
  for (size_t bin = 0; bin < bins; ++bin) counts_[bin] += other.counts_[bin];
}

double SimilarityHistogram::total(double (*f)(double similarity, const void* context),
                                  const void* context) const {
  double sum = 0;
  for (size_t bin = 0; bin < bins; ++bin) {
    if (counts_[bin] == 0) continue;
    sum += static_cast<double>(counts_[bin]) * f((static_cast<double>(bin) + 0.5) / bins, context);
  }
  return sum;
}

BruteForceResult brute_force(const BagCollection& bags, std::span<const uint32_t> queries,
                             const BruteForceOptions& options, ThreadPool& pool) {
  BruteForceResult result;
  result.queries.resize(queries.size());
  std::vector<SimilarityHistogram> histograms(pool.size());
  pool.for_chunks(queries.size(), lanes, [&](size_t begin, size_t end, unsigned worker) {
    for (size_t first = begin; first < end; first += lanes) {
      const size_t count = std::min(lanes, end - first);
      compare_batch(bags, queries.subspan(first, count), options,
                    std::span(result.queries).subspan(first, count), histograms[worker]);
    }
  });
  for (const SimilarityHistogram& histogram : histograms) result.histogram.merge(histogram);
  return result;
}

BruteForceResult brute_force_plain(const BagCollection& bags, std::span<const uint32_t> queries,
                                   const BruteForceOptions& options) {
  BruteForceResult result;
  for (const uint32_t query : queries) {
    TruthBuilder builder(query, options);
    for (uint32_t id = 0; id < bags.size(); ++id) {
      builder.add(id, sum_of_minima(bags[query], bags[id]), result.histogram);
    }
    result.queries.push_back(std::move(builder).result());
  }
  return result;
}

std::vector<uint32_t> sample_queries(const BagCollection& bags, size_t count, uint64_t seed) {
  std::vector<uint32_t> ids;
  for (uint32_t id = 0; id < bags.size(); ++id) {
    if (!bags[id].empty()) ids.push_back(id);
  }
  if (ids.size() <= count) return ids;
  Rng rng(seed);
  for (size_t i = 0; i < count; ++i) std::swap(ids[i], ids[i + rng.below(ids.size() - i)]);
  ids.resize(count);
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace kith::pairs
