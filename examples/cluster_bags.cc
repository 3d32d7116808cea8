// Clusters of bags in memory, with a progress callback that could stop the job.
#include <vector>

#include <kith/cluster_bags.h>

#include "example.h"

int main() {
  // Three bags of one topic, three of another.
  std::vector<uint64_t> offsets = {0};
  std::vector<uint32_t> terms;
  for (uint32_t bag = 0; bag < 6; ++bag) {
    for (uint32_t i = 0; i < 8; ++i) terms.push_back(bag / 3 * 100 + i);
    terms.back() = 1000 + bag;
    offsets.push_back(terms.size());
  }
  const std::vector<double> weights(terms.size(), 1.0);
  const kith::Bags bags = value_of(kith::Bags::make({offsets, terms, weights}));
  bool stop = false;
  const kith::BagClusters found = value_of(kith::cluster_bags(
      bags, {.similarity = 0.5}, 1, [&](const kith::Progress&) { return !stop; }));
  for (size_t i = 0; i < bags.size(); ++i) {
    std::printf("bag %zu: center %u, similarity %.2f\n", i, found.center[i], found.similarity[i]);
  }
}
