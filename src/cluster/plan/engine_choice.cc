#include "cluster/plan/engine_choice.h"

#include <algorithm>
#include <vector>

#include "cluster/plan/table_costs.h"
#include "similar/exact/term_table.h"

namespace kith::cluster {
namespace {

constexpr size_t min_counted = 50'000;  // where there are so many; less than twice as many

// Document frequencies as shares of the bags, counted over every step-th bag.
class Frequencies {
 public:
  explicit Frequencies(const sketch::BagCollection& bags) {
    const size_t step = std::max<size_t>(1, bags.size() / min_counted);
    std::vector<sketch::BagEntry> buffer;
    for (size_t id = 0; id < bags.size(); id += step, ++counted_) {
      for (const sketch::BagEntry entry : bags.read(id, buffer)) {
        const uint32_t term = terms_.insert(entry.term);
        if (term == counts_.size()) counts_.push_back(0);
        ++counts_[term];
      }
    }
  }
  double share(uint32_t term) const {
    const uint32_t number = terms_.find(term);
    if (number == similar::TermTable::none) return 0;
    return static_cast<double>(counts_[number]) / static_cast<double>(counted_);
  }

 private:
  similar::TermTable terms_;
  std::vector<uint32_t> counts_;
  size_t counted_ = 0;
};

}  // namespace

ExactCost cost_of_exact(const sketch::BagCollection& bags, const evaluate::BruteForceResult& sample,
                        const PairStatistics& pairs, const JobShape& job, double threshold) {
  const Frequencies frequencies(bags);
  const auto n = static_cast<double>(job.distinct_bags);
  double sparse_share = 0;
  double dense_terms = 0;
  std::vector<sketch::BagEntry> buffer;
  for (const evaluate::QueryTruth& query : sample.queries) {
    for (const sketch::BagEntry entry : bags.read(query.id, buffer)) {
      const double share = frequencies.share(entry.term);
      if (share >= similar::dense_share) {
        dense_terms += 1;
      } else {
        sparse_share += share;
      }
    }
  }
  const double queries = std::max(1.0, static_cast<double>(sample.queries.size()));
  ExactCost exact;
  exact.postings = n * n * sparse_share / queries;
  exact.cells = n * n * dense_terms / queries;
  // Beside the K nearest, the bags near the threshold: about a tenth of those above it.
  exact.merges = n * (1.6 * job.top + 0.1 * n * pairs.share_above(threshold));
  const double join =
      1e-9 * (exact.postings * cluster::cost::posting + exact.cells * cluster::cost::cell +
              n * n * cluster::cost::slot + exact.merges * cluster::cost::merge);
  exact.seconds = join * (1 + cluster::cost::leader_scan * pairs.leader_share(threshold, n));
  return exact;
}

EngineChoice choose_engine(const ExactCost& exact, std::optional<double> table_seconds,
                           EngineChoice request) {
  if (request != EngineChoice::automatic) return request;
  if (!table_seconds) return EngineChoice::exact;
  const bool pays = exact.seconds <= bearable_seconds || exact.seconds <= *table_seconds;
  return pays ? EngineChoice::exact : EngineChoice::lsh;
}

}  // namespace kith::cluster
