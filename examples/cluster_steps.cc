// Clusters of bags that two machines have half of each, step by step.
#include <vector>

#include <kith/cluster_steps.h>

#include "example.h"

int main() {
  // Four bags of three terms each.
  const std::vector<uint64_t> offsets = {0, 3, 6, 9, 12};
  const std::vector<uint32_t> terms = {1, 2, 3, 1, 2, 4, 7, 8, 9, 7, 8, 9};
  const std::vector<double> weights(terms.size(), 1.0);
  const kith::Bags bags = value_of(kith::Bags::make({offsets, terms, weights}));
  const kith::ClusterSteps steps =
      value_of(kith::ClusterSteps::make({.similarity = 0.4, .min_words = 1}));
  // Each machine makes the features of its own bags; here one has all of them.
  const kith::BagFeatures features = value_of(steps.features(bags));
  const kith::PackedBags packed{features.offsets, features.entries};
  // Bag 3 is equal to bag 2, so that three are different.
  const std::vector<uint32_t> different = {0, 1, 2};
  const auto signatures =
      std::span(features.signatures).first(different.size() * steps.options().lanes);
  // Tables as plan() chooses them: forty of keys of two values.
  const kith::ClusterTables chosen{.similarity = 0.4, .per_key = 2, .tables = 40};
  const kith::TableJoin join = value_of(steps.join(chosen));
  // Each of two machines finds the candidates in its half of all buckets, and compares them.
  for (uint32_t slice = 0; slice < 2; ++slice) {
    const auto found = value_of(join.candidates(different, signatures, {}, slice, 2));
    for (const kith::DocumentIds& pair : found.pairs) {
      const std::vector<uint32_t> a = {pair.a};
      const std::vector<uint32_t> b = {pair.b};
      const auto sum = value_of(steps.verify(chosen.similarity, packed, a, b));
      if (sum[0] == 0) continue;
      std::printf("bags %u and %u are similar: %.2f\n", pair.a, pair.b,
                  bags.similarity(pair.a, pair.b));
    }
  }
}
