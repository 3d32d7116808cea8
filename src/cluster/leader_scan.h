// The scan of the leader index over any source of leaders: internal to this folder.
#pragma once

#include <algorithm>
#include <concepts>
#include <span>
#include <vector>

#include "base/check.h"
#include "cluster/leader_index.h"
#include "pairs/neighbour.h"
#include "parallel/thread_pool.h"

namespace kith::cluster {

// A set of leaders, numbered by insertion, that answers which of them an id is similar to.
// Whether two ids are similar depends on the two alone, so it does not matter how the leaders
// are split over several sources. The const functions may run in parallel.
template <class S>
concept LeaderSource = requires(S& source, const S& frozen, uint32_t id, uint32_t least_sum,
                                typename S::Scratch& scratch, std::span<const uint32_t> ids,
                                ThreadPool& pool) {
  // Ids that are similar to nothing and never enter the source.
  { frozen.is_empty(id) } -> std::same_as<bool>;
  // The similar leader that was inserted first, or {no_id, 0}.
  { frozen.earliest(id, scratch) } -> std::same_as<pairs::Neighbour>;
  // The similar leader with the largest sum >= least_sum, the first inserted of those that tie.
  { frozen.most_similar(id, least_sum, scratch) } -> std::same_as<pairs::Neighbour>;
  // New leaders, in scan order.
  source.insert(ids, pool);
  source.insert(id, scratch);
  source.clear();
};

template <LeaderSource Source>
class LeaderScan {
 public:
  using Scratch = typename Source::Scratch;

  // `leaders` and `batch_leaders` are two empty sources for the same ids; there is a scratch
  // for every worker of the pool.
  LeaderScan(Source& leaders, Source& batch_leaders, std::span<Scratch> scratch, ThreadPool& pool)
      : leaders_(leaders), batch_leaders_(batch_leaders), scratch_(scratch), pool_(pool) {
    KITH_CHECK(scratch.size() >= pool.size());
  }

  Clustering run(size_t n, std::span<const uint32_t> order, const LeaderOptions& options,
                 const LeaderProgress& progress) {
    KITH_CHECK(options.least_sum > 0 && options.batch > 0);
    Clustering clustering(n);
    const double passes = options.assign == Assign::best ? 2.0 : 1.0;
    const auto report = [&](double done) {
      if (progress) progress(done / passes);
    };
    // Early on almost every id is new and is decided in order, so the first batches are small.
    size_t batch = std::min(first_batch, options.batch);
    for (size_t begin = 0; begin < order.size();) {
      const size_t size = std::min(batch, order.size() - begin);
      scan_batch(order.subspan(begin, size), clustering);
      begin += size;
      batch = std::min(2 * batch, options.batch);
      report(static_cast<double>(begin) / static_cast<double>(order.size()));
    }
    if (options.assign == Assign::first) return clustering;
    for (size_t begin = 0; begin < order.size();) {
      const size_t size = std::min(second_pass_step, order.size() - begin);
      move_to_most_similar(order.subspan(begin, size), clustering);
      begin += size;
      report(1 + static_cast<double>(begin) / static_cast<double>(order.size()));
    }
    return clustering;
  }

 private:
  static constexpr size_t first_batch = 64;
  static constexpr size_t second_pass_step = size_t{1} << 16;  // only for the progress
  static constexpr size_t grain = 64;

  // An id that is similar to a leader of an earlier batch is settled: all leaders of this batch
  // are later. The others are decided in order among the leaders of this batch.
  void scan_batch(std::span<const uint32_t> ids, Clustering& clustering) {
    pool_.for_chunks(ids.size(), grain, [&](size_t begin, size_t end, unsigned worker) {
      for (const uint32_t id : ids.subspan(begin, end - begin)) {
        if (leaders_.is_empty(id)) continue;
        join(id, leaders_.earliest(id, scratch_[worker]), clustering);
      }
    });
    new_leaders_.clear();
    batch_leaders_.clear();
    for (const uint32_t id : ids) {
      if (clustering.center[id] != no_center) continue;
      if (leaders_.is_empty(id)) {
        clustering.make_center(id);
        continue;
      }
      if (join(id, batch_leaders_.earliest(id, scratch_[0]), clustering)) continue;
      clustering.make_center(id);
      batch_leaders_.insert(id, scratch_[0]);
      new_leaders_.push_back(id);
    }
    leaders_.insert(new_leaders_, pool_);
  }

  static bool join(uint32_t id, pairs::Neighbour leader, Clustering& clustering) {
    if (leader.id == pairs::no_id) return false;
    clustering.join(id, leader.id, leader.sum_of_minima);
    return true;
  }

  void move_to_most_similar(std::span<const uint32_t> ids, Clustering& clustering) {
    pool_.for_chunks(ids.size(), grain, [&](size_t begin, size_t end, unsigned worker) {
      for (const uint32_t id : ids.subspan(begin, end - begin)) {
        if (clustering.is_center(id)) continue;
        const uint32_t bar = clustering.sum_of_minima[id];
        join(id, leaders_.most_similar(id, bar, scratch_[worker]), clustering);
      }
    });
  }

  Source& leaders_;
  Source& batch_leaders_;
  std::span<Scratch> scratch_;
  ThreadPool& pool_;
  std::vector<uint32_t> new_leaders_;
};

}  // namespace kith::cluster
