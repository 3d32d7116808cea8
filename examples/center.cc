// Clusters from pairs that are known already.
#include <vector>

#include <kith/cluster_bags.h>

#include "example.h"

int main() {
  const std::vector<kith::SimilarIds> pairs = {{0, 1, 0.9}, {1, 2, 0.8}, {3, 4, 0.7}};
  const std::vector<uint32_t> center = value_of(kith::center_clusters(6, pairs));
  const std::vector<uint32_t> component = value_of(kith::components(6, pairs));
  for (size_t id = 0; id < center.size(); ++id) {
    std::printf("%zu: center %u, component %u\n", id, center[id], component[id]);
  }
}
