#include "pairs/engine_choice.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "pairs/dense_terms.h"
#include "pairs/term_table.h"

namespace kith::pairs {
namespace {

// Nanoseconds an operation takes, by bench/pairs_join.cc.
constexpr double posting_cost = 0.9;
constexpr double cell_cost = 0.015;
constexpr double slot_cost = 0.2;  // to clear and scan an accumulator, per query and bag
constexpr double merge_cost = 450;
constexpr double sign_cost = 0.03;  // per entry and lane
constexpr double sort_cost = 50;
constexpr double collision_cost = 3;

constexpr size_t most_counted = 200'000;
constexpr double sketch_copies = 100;  // of a bag's words, beside one partial copy a word

// Document frequencies as shares of the bags, counted over every step-th bag.
class Frequencies {
 public:
  explicit Frequencies(const BagCollection& bags) {
    const size_t step = std::max<size_t>(1, bags.size() / most_counted);
    for (size_t id = 0; id < bags.size(); id += step, ++counted_) {
      for (const BagEntry entry : bags[id]) {
        const uint32_t term = terms_.insert(entry.term);
        if (term == counts_.size()) counts_.push_back(0);
        ++counts_[term];
      }
    }
  }
  double share(uint32_t term) const {
    const uint32_t number = terms_.find(term);
    if (number == TermTable::none) return 0;
    return static_cast<double>(counts_[number]) / static_cast<double>(counted_);
  }
  // The number of terms that the exact engine keeps densely.
  size_t dense() const {
    const auto frequent = std::ranges::count_if(counts_, [&](uint32_t count) {
      return static_cast<double>(count) >= internal::dense_share * static_cast<double>(counted_);
    });
    return std::min<size_t>(static_cast<size_t>(frequent), internal::most_dense_terms);
  }

 private:
  TermTable terms_;
  std::vector<uint32_t> counts_;
  size_t counted_ = 0;
};

double mean_entries(const BagCollection& bags) {
  return bags.size() == 0
             ? 0
             : static_cast<double>(bags.entries().size()) / static_cast<double>(bags.size());
}

// Queries that reach the floor, or are among the K nearest, per bag.
double answers_per_bag(const BruteForceResult& sample, const JobShape& job) {
  const double queries = std::max(1.0, static_cast<double>(sample.queries.size()));
  double similar = 0;
  if (job.least_sum > 0) {
    const double floor = similarity_of(job.least_sum);
    similar = sample.histogram.total(
        [](double s, const void* least) {
          return s >= *static_cast<const double*>(least) ? 1.0 : 0.0;
        },
        &floor);
  }
  return job.top + similar / queries;
}

ExactCost exact_cost(const BagCollection& bags, const BruteForceResult& sample,
                     const JobShape& job) {
  const Frequencies frequencies(bags);
  const auto n = static_cast<double>(job.distinct_bags);
  double sparse_share = 0;
  double dense_terms = 0;
  for (const QueryTruth& query : sample.queries) {
    for (const BagEntry entry : bags[query.id]) {
      const double share = frequencies.share(entry.term);
      if (share >= internal::dense_share) {
        dense_terms += 1;
      } else {
        sparse_share += share;
      }
    }
  }
  const double queries = std::max(1.0, static_cast<double>(sample.queries.size()));
  ExactCost cost;
  cost.postings = n * n * sparse_share / queries;
  cost.cells = n * n * dense_terms / queries;
  // Besides the K nearest, the bags near the floor: about a tenth of those above it.
  cost.merges = n * (1.5 * job.top + 0.1 * answers_per_bag(sample, job));
  cost.index_bytes = n * (4 * mean_entries(bags) + static_cast<double>(frequencies.dense()));
  cost.seconds = 1e-9 * (cost.postings * posting_cost + cost.cells * cell_cost + n * n * slot_cost +
                         cost.merges * merge_cost);
  return cost;
}

LshCost lsh_cost(const BagCollection& bags, const BruteForceResult& sample, const JobShape& job,
                 const lsh::TableParams& tables) {
  const auto n = static_cast<double>(job.distinct_bags);
  const double queries = std::max(1.0, static_cast<double>(sample.queries.size()));
  const double powers = sample.histogram.total(
      [](double s, const void* params) {
        return std::pow(s, static_cast<const lsh::TableParams*>(params)->per_key);
      },
      &tables);
  // The sample is of all bags: scaled down to the distinct ones.
  const double distinct = bags.size() == 0 ? 1 : n / static_cast<double>(bags.size());
  LshCost cost;
  cost.sign_entries = n * (mean_entries(bags) + sketch_copies);
  cost.sort_entries = n * tables.tables;
  cost.collisions = n * distinct * powers / queries * tables.tables / 2;
  cost.merges = n * (job.top + answers_per_bag(sample, job) / 2);
  cost.table_bytes = n * (3.0 * tables.lanes + 32);
  cost.seconds =
      1e-9 * (cost.sign_entries * tables.lanes * sign_cost + cost.sort_entries * sort_cost +
              cost.collisions * collision_cost + cost.merges * merge_cost);
  return cost;
}

}  // namespace

EngineChoice choose_engine(const BagCollection& bags, const BruteForceResult& sample,
                           const JobShape& job, const lsh::TableParams& tables, Engine wish) {
  EngineChoice choice;
  choice.exact = exact_cost(bags, sample, job);
  choice.lsh = lsh_cost(bags, sample, job, tables);
  choice.exact_fits =
      job.memory == 0 || choice.exact.index_bytes <= static_cast<double>(job.memory);
  const bool exact_pays =
      choice.exact.seconds <= job.affordable_seconds || choice.exact.seconds <= choice.lsh.seconds;
  choice.engine = wish != Engine::automatic         ? wish
                  : choice.exact_fits && exact_pays ? Engine::exact
                                                    : Engine::lsh;
  return choice;
}

}  // namespace kith::pairs
