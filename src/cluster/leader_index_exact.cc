#include <vector>

#include "cluster/leader_index.h"
#include "cluster/leader_scan.h"
#include "pairs/inverted_index.h"

namespace kith::cluster {
namespace {

// Leaders in an inverted index, which gives the exact sums itself.
class ExactSource {
 public:
  struct Scratch {
    pairs::InvertedIndex::Scratch index;
    std::vector<pairs::Neighbour> found;
  };

  ExactSource(const BagCollection& bags, uint32_t least_sum) : bags_(bags), least_sum_(least_sum) {}

  bool is_empty(uint32_t id) const { return bags_[id].empty(); }

  pairs::Neighbour earliest(uint32_t id, Scratch& scratch) const {
    return index_.earliest(bags_[id], least_sum_, scratch.index);
  }

  pairs::Neighbour most_similar(uint32_t id, uint32_t least_sum, Scratch& scratch) const {
    index_.query(bags_[id], least_sum, scratch.index, scratch.found);
    pairs::Neighbour best{pairs::no_id, 0};
    for (const pairs::Neighbour& leader : scratch.found) {
      if (leader.sum_of_minima > best.sum_of_minima) best = leader;
    }
    return best;
  }

  void insert(uint32_t id, Scratch&) { index_.insert(id, bags_[id]); }
  void insert(std::span<const uint32_t> ids, ThreadPool&) {
    for (const uint32_t id : ids) index_.insert(id, bags_[id]);
  }
  void clear() {
    if (index_.size() > 0) index_ = pairs::InvertedIndex();
  }

 private:
  const BagCollection& bags_;
  const uint32_t least_sum_;
  pairs::InvertedIndex index_;
};

}  // namespace

LeaderResult exact_leaders(const BagCollection& bags, std::span<const uint32_t> order,
                           const LeaderOptions& options, ThreadPool& pool,
                           const LeaderProgress& progress) {
  ExactSource leaders(bags, options.least_sum);
  ExactSource batch_leaders(bags, options.least_sum);
  std::vector<ExactSource::Scratch> scratch(pool.size());
  LeaderScan scan(leaders, batch_leaders, std::span(scratch), pool);

  LeaderResult result;
  result.clustering = scan.run(bags.size(), order, options, progress);
  for (const uint32_t id : order) result.stats.leaders += result.clustering.is_center(id);
  for (const ExactSource::Scratch& one : scratch) {
    result.stats.probes += one.index.work.queries;
    result.stats.merges += one.index.work.merges;
  }
  return result;
}

}  // namespace kith::cluster
