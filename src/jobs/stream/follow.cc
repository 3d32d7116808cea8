// What clusters are compared by: their first member, or the mean of all members; in the weights of
// the current epoch.
#include <vector>

#include "bags/mean_bag.h"
#include "jobs/stream/engine.h"

namespace kith::jobs {
namespace {

// A mean that is less similar to the one that was signed has drifted.
constexpr double drift_similarity = 0.9;

}  // namespace

// A cluster of one page is compared by that page. The sums are of integers, so that the mean does
// not depend on the order of the members.
LoadedFeatures Engine::make_leader(uint32_t cluster) {
  const uint32_t first = clusters_[cluster].leader;
  if (options_.leader == StreamLeader::first || clusters_.size(cluster) == 1) {
    return bag_of_page(first, leader_);
  }
  bags::MeanBag sums;
  for (uint32_t page = first; page != nobody; page = clusters_.next(page)) {
    sums.add(bag_of(bag_of_page(page, leader_).view()), 1);
  }
  std::vector<sketch::BagEntry> mean;
  sums.take(mean_terms_, mean);
  leader_.clear();
  for (const sketch::BagEntry& entry : mean) leader_.push_back(packed(entry));
  return LoadedFeatures(Features(leader_));
}

// A member came or went: the mean is signed anew when it has drifted.
void Engine::follow(uint32_t cluster) {
  if (options_.leader == StreamLeader::first) return;
  if (!means_.is_due(cluster, clusters_.size(cluster))) return;
  const LoadedFeatures mean = make_leader(cluster);
  if (similarity_of(options_, mean.view(), compared(cluster).view()) >= drift_similarity) return;
  withdraw_leader(cluster);
  sign(cluster, mean.view());
}

// What is the first member's own is not kept twice.
void Engine::keep_leader(uint32_t cluster, Features leader) {
  const bool is_mean = options_.leader == StreamLeader::mean && clusters_.size(cluster) > 1;
  means_.set(cluster, is_mean || learns_ ? leader : Features(), 0);
}

// REQUIRES: the leader is not in the index.
void Engine::sign(uint32_t cluster, Features leader) {
  keep_leader(cluster, leader);
  enter_leader(cluster);
}

// Counts the words of a page. In a new epoch all leaders are signed anew, since they have other
// weights; which cluster a member belongs to was decided before.
void Engine::learn(Features words) {
  if (!learns_ || !words_.count(words)) return;
  for (uint32_t at = clusters_.oldest(); at != nobody; at = clusters_[at].newer) {
    keep_leader(at, make_leader(at).view());
  }
  rebuild_index();
}

}  // namespace kith::jobs
