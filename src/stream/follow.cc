// How a cluster follows its members, where its leader is their mean.
#include <vector>

#include "bags/mean_bag.h"
#include "stream/engine.h"

namespace kith::stream {
namespace {

// A mean that is less similar to the one that was signed has drifted.
constexpr double drift_similarity = 0.9;

}  // namespace

// A cluster of one page is compared by that page. The sums are of integers, so that the mean does
// not depend on the order of the members.
Features Engine::make_mean(uint32_t cluster) {
  const uint32_t first = clusters_[cluster].leader;
  if (clusters_[cluster].size == 1) return pages_[first].features.view();
  bags::MeanBag sums;
  for (uint32_t page = first; page != nobody; page = pages_[page].next) {
    sums.add(bag_of(pages_[page].features.view()), 1);
  }
  std::vector<BagEntry> mean;
  sums.take(mean_terms_, mean);
  mean_.clear();
  for (const BagEntry& entry : mean) mean_.push_back(packed(entry));
  return mean_;
}

// A member came or went: the mean is signed anew when it has drifted.
void Engine::follow(uint32_t cluster) {
  if (options_.leader == StreamLeader::first) return;
  if (!means_.is_due(cluster, clusters_[cluster].size)) return;
  const Features mean = make_mean(cluster);
  if (similarity_of(options_, mean, compared(cluster)) >= drift_similarity) return;
  withdraw_leader(cluster);
  sign(cluster, mean);
}

// REQUIRES: the leader is not in the index.
void Engine::sign(uint32_t cluster, Features mean) {
  means_.set(cluster, clusters_[cluster].size == 1 ? Features() : mean, 0);
  enter_leader(cluster);
}

}  // namespace kith::stream
