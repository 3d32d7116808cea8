#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
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

  ExactSource(const BagCollection& bags, std::span<const uint32_t> order, uint32_t least_sum)
      : bags_(bags), order_(order), least_sum_(least_sum) {}

  size_t positions() const { return order_.size(); }
  uint32_t id(size_t position) const { return order_[position]; }
  Result<size_t> load(size_t) { return order_.size(); }
  bool is_empty(size_t position) const { return bag(position).empty(); }
  bool full() const { return false; }

  pairs::Neighbour earliest(size_t position, Scratch& scratch) const {
    return index_.earliest(bag(position), least_sum_, scratch.index);
  }

  void answer(std::span<const Inquiry> inquiries, Assign assign,
              std::span<pairs::Neighbour> answers, std::span<Scratch> scratch, ThreadPool& pool) {
    constexpr size_t grain = 64;
    pool.for_chunks(inquiries.size(), grain, [&](size_t begin, size_t end, unsigned worker) {
      for (size_t i = begin; i < end; ++i) {
        const Inquiry& inquiry = inquiries[i];
        answers[i] = assign == Assign::first ? earliest(inquiry.position, scratch[worker])
                                             : most_similar(inquiry, scratch[worker]);
      }
    });
  }

  void insert(size_t position, Scratch&) { index_.insert(id(position), bag(position)); }
  void insert(std::span<const size_t> positions, ThreadPool&) {
    for (const size_t position : positions) index_.insert(id(position), bag(position));
  }
  void clear() {
    if (index_.size() > 0) index_ = pairs::InvertedIndex();
  }

 private:
  pairs::Neighbour most_similar(const Inquiry& inquiry, Scratch& scratch) const {
    const uint32_t least_sum = std::max(inquiry.least_sum, least_sum_);
    index_.query(bag(inquiry.position), least_sum, scratch.index, scratch.found);
    pairs::Neighbour best{pairs::no_id, 0};
    for (const pairs::Neighbour& leader : scratch.found) {
      if (leader.sum_of_minima > best.sum_of_minima) best = leader;
    }
    return best;
  }

  Bag bag(size_t position) const { return bags_[order_[position]]; }

  const BagCollection& bags_;
  const std::span<const uint32_t> order_;
  const uint32_t least_sum_;
  pairs::InvertedIndex index_;
};

}  // namespace

LeaderResult exact_leaders(const BagCollection& bags, std::span<const uint32_t> order,
                           const LeaderOptions& options, ThreadPool& pool,
                           const LeaderProgress& progress) {
  ExactSource leaders(bags, order, options.least_sum);
  ExactSource recent_leaders(bags, order, options.least_sum);
  ExactSource batch_leaders(bags, order, options.least_sum);
  std::vector<ExactSource::Scratch> scratch(pool.size());
  LeaderScan scan(leaders, recent_leaders, batch_leaders, std::span(scratch), pool);

  LeaderResult result;
  auto clustering = scan.run(bags.size(), options, progress);
  KITH_CHECK(clustering.is_ok());  // nothing is read from files
  result.clustering = std::move(*clustering);
  result.stats.phases = scan.phases();
  for (const uint32_t id : order) result.stats.leaders += result.clustering.is_center(id);
  for (const ExactSource::Scratch& one : scratch) {
    result.stats.probes += one.index.work.queries;
    result.stats.merges += one.index.work.merges;
  }
  return result;
}

}  // namespace kith::cluster
