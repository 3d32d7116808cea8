// What a sample of queries, compared with all bags, says about all pairs of different bags.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "evaluate/brute_force.h"
#include "similar/duplicates.h"

namespace kith::cluster {

// Estimates for a pair of bags drawn at random from the N bags that are neither empty nor equal to
// an earlier one. Queries are drawn from all URLs, so that a bag that m URLs share is met m times
// as often as others, and counts 1 / m each time. Immutable, thread-safe; views the sample.
class PairStatistics {
 public:
  // REQUIRES: the sample was made with histograms over these groups. `distinct` is N.
  PairStatistics(const evaluate::BruteForceResult& sample, const similar::DuplicateGroups& groups,
                 uint64_t distinct);
  // The same by the sizes of the groups of the queries.
  PairStatistics(const evaluate::BruteForceResult& sample, std::span<const uint32_t> multiplicity,
                 uint64_t distinct);

  // The share of pairs whose similarity is at least s, up to the width of a histogram bin.
  double share_above(double s) const;
  // About the share of n bags that become leaders at threshold s: the mean of 1 / (d + 1), d the
  // number of bags at or above s, in proportion to n. In random order a bag comes before its d
  // neighbours with that chance, and leads then (Caro 1979; Wei 1981).
  double leader_share(double s, double n) const;

 private:
  struct Query {
    double weight;  // of all weights
    const evaluate::SimilarityHistogram* histogram;
  };
  std::vector<Query> queries_;
  double others_;  // that a query is compared with, >= 1
  std::array<double, evaluate::SimilarityHistogram::bins> shares_{};  // of all pairs, by bin
};

}  // namespace kith::cluster
