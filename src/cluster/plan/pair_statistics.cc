#include "cluster/plan/pair_statistics.h"

#include <algorithm>

namespace kith::cluster {
namespace {

// The lowest bin that stands for a similarity of at least s.
uint32_t first_bin(double s) {
  uint32_t bin = 0;
  while (bin < evaluate::SimilarityHistogram::bins &&
         evaluate::SimilarityHistogram::similarity_at(bin) < s)
    ++bin;
  return bin;
}

std::vector<uint32_t> multiplicity_of(const evaluate::BruteForceResult& sample,
                                      const similar::DuplicateGroups& groups) {
  std::vector<uint32_t> multiplicity;
  for (const evaluate::QueryTruth& query : sample.queries) {
    multiplicity.push_back(groups.multiplicity[query.id]);
  }
  return multiplicity;
}

}  // namespace

PairStatistics::PairStatistics(const evaluate::BruteForceResult& sample,
                               const similar::DuplicateGroups& groups, uint64_t distinct)
    : PairStatistics(sample, multiplicity_of(sample, groups), distinct) {}

PairStatistics::PairStatistics(const evaluate::BruteForceResult& sample,
                               std::span<const uint32_t> multiplicity, uint64_t distinct)
    : others_(std::max(1.0, static_cast<double>(distinct) - 1)) {
  double weights = 0;
  for (size_t i = 0; i < sample.queries.size(); ++i) {
    queries_.push_back({1.0 / multiplicity[i], &sample.queries[i].histogram});
    weights += queries_.back().weight;
  }
  for (Query& query : queries_) {
    query.weight /= weights;
    for (uint32_t bin = 0; bin < evaluate::SimilarityHistogram::bins; ++bin) {
      shares_[bin] += query.weight * static_cast<double>(query.histogram->count(bin)) / others_;
    }
  }
}

double PairStatistics::share_above(double s) const {
  double sum = 0;
  for (uint32_t bin = first_bin(s); bin < evaluate::SimilarityHistogram::bins; ++bin)
    sum += shares_[bin];
  return sum;
}

double PairStatistics::leader_share(double s, double n) const {
  const double growth = n / (others_ + 1);
  const uint32_t first = first_bin(s);
  double sum = 0;
  for (const Query& query : queries_) {
    uint64_t degree = 0;
    for (uint32_t bin = first; bin < evaluate::SimilarityHistogram::bins; ++bin) {
      degree += query.histogram->count(bin);
    }
    sum += query.weight / (growth * static_cast<double>(degree) + 1);
  }
  return sum;
}

}  // namespace kith::cluster
