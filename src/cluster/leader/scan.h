// The scan of the leader index over any source of leaders: internal to this folder.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kith/status.h"

#include "base/check.h"
#include "base/parallel/thread_pool.h"
#include "cluster/leader/index.h"
#include "similar/neighbour.h"

namespace kith::cluster {

// A position asks for a leader with a sum of at least this, and what counts as similar.
struct Inquiry {
  size_t position;
  uint32_t min_sum;
};

// A set of leaders that answers which of them the id at a position of the scan order is similar
// to. Whether two ids are similar depends on the two alone. The const functions may run in
// parallel.
template <class S>
concept LeaderSource = requires(S& source, const S& frozen, size_t position,
                                std::span<const Inquiry> inquiries, std::span<const uint32_t> open,
                                size_t i, Assign assign, std::span<similar::Neighbour> answers,
                                std::span<typename S::Scratch> scratches, ThreadPool& pool) {
  // How many positions there are, and the id at one.
  { frozen.positions() } -> std::same_as<size_t>;
  { frozen.id(position) } -> std::same_as<uint32_t>;
  // Makes positions from this one on readable, up to the one returned.
  { source.load(position) } -> std::same_as<Result<size_t>>;
  // Whether the id is similar to nothing and never enters the source.
  { frozen.is_empty(position) } -> std::same_as<bool>;
  // The answers to many at once, none of them empty: the similar leader that was inserted first,
  // or the one with the largest sum, the first inserted of those that tie; {no_id, 0} for none.
  // The inquiries stay in place until the next.
  source.answer(inquiries, assign, answers, scratches, pool);
  // Then those of the last inquiries that are to be decided in order, one by one: their numbers,
  // ascending, which stay in place.
  source.start(open, pool);
  // The first of the leaders among open[0], ..., open[i - 1] that open[i] is similar to, or
  // {no_id, 0}. In ascending order.
  { source.earliest(i, pool) } -> std::same_as<similar::Neighbour>;
  // open[i] is a leader. In ascending order.
  source.make_leader(i);
  // Inserts the leaders that were made since start().
  source.insert_leaders(pool);
  // Whether no further stretch should be decided.
  { frozen.full() } -> std::same_as<bool>;
  source.clear();
};

// CENTER in phases. A phase goes on from where the one before ended and takes in leaders until
// the source is full; then all later ids ask these leaders, and those without an answer wait for
// the next phase. A leader of a later phase comes later in the order, so what an id finds first it
// joins: any division into phases gives the same clusters. A source that is never full makes one.
template <LeaderSource Source>
class LeaderScan {
 public:
  using Scratch = typename Source::Scratch;

  // An empty source, and a scratch for every worker of the pool.
  LeaderScan(Source& leaders, std::span<Scratch> scratch, ThreadPool& pool)
      : leaders_(leaders), scratch_(scratch), pool_(pool) {
    KITH_CHECK(scratch.size() >= pool.size());
  }

  // n: ids are below it.
  Result<Clustering> run(size_t n, const LeaderOptions& options, const LeaderProgress& progress) {
    KITH_CHECK(options.min_sum > 0 && options.stretch > 0);
    clustering_ = Clustering(n);
    progress_ = &progress;
    passes_ = options.assign == Assign::best ? 2 : 1;
    const size_t end = leaders_.positions();
    for (size_t begin = 0; begin < end;) {
      leaders_.clear();
      KITH_ASSIGN(const size_t next, take_leaders(begin, options.stretch));
      ++phases_;
      const bool best = options.assign == Assign::best;
      KITH_TRY(for_each_stretch(best ? 0 : next, end, options.stretch, [&](size_t from, size_t to) {
        if (best) {
          ask_best(from, to);
        } else {
          ask(from, to);
        }
      }));
      begin = next;
      report(begin, begin);
    }
    return std::move(clustering_);
  }

  uint64_t phases() const { return phases_; }

 private:
  static constexpr size_t first_stretch = 64;

  bool settled(size_t position) const {
    return clustering_.center[leaders_.id(position)] != no_center;
  }

  // The ids before `phase` are settled by all passes, those before `taken` by the first.
  void report(size_t phase, size_t taken) const {
    const auto all = static_cast<double>(leaders_.positions());
    const auto done = static_cast<double>(phase) + static_cast<double>(taken - phase) / passes_;
    if (*progress_) (*progress_)(done / all);
  }

  // One phase's leaders; returns where it ends.
  Result<size_t> take_leaders(size_t begin, size_t longest) {
    const size_t phase = begin;
    const size_t end = leaders_.positions();
    // Early on almost every id is new and is decided in order, so the first stretches are small.
    size_t stretch = std::min(first_stretch, longest);
    while (begin < end && !leaders_.full()) {
      KITH_ASSIGN(const size_t readable, leaders_.load(begin));
      const size_t size = std::min(stretch, readable - begin);
      scan_stretch(begin, begin + size);
      begin += size;
      stretch = std::min(2 * stretch, longest);
      if (begin < end) report(phase, begin);
    }
    return begin;
  }

  // An id that is similar to a leader of an earlier stretch is settled: all leaders of this one
  // are later. The others are decided in order.
  void scan_stretch(size_t first, size_t last) {
    inquiries_.clear();
    for (size_t position = first; position < last; ++position) {
      if (settled(position)) continue;
      if (leaders_.is_empty(position)) {
        clustering_.make_center(leaders_.id(position));
      } else {
        inquiries_.push_back({position, 0});
      }
    }
    answer(Assign::first);
    open_.clear();
    for (uint32_t i = 0; i < inquiries_.size(); ++i) {
      if (!settled(inquiries_[i].position)) open_.push_back(i);
    }
    leaders_.start(open_, pool_);
    for (size_t i = 0; i < open_.size(); ++i) {
      const size_t position = inquiries_[open_[i]].position;
      if (join(position, leaders_.earliest(i, pool_))) continue;
      clustering_.make_center(leaders_.id(position));
      leaders_.make_leader(i);
    }
    leaders_.insert_leaders(pool_);
  }

  // Every id that is not settled joins the earliest of the leaders, if it is similar to one.
  void ask(size_t first, size_t last) {
    inquiries_.clear();
    for (size_t position = first; position < last; ++position) {
      if (settled(position) || leaders_.is_empty(position)) continue;
      inquiries_.push_back({position, 0});
    }
    answer(Assign::first);
  }

  // The same for all, and a member moves to a leader that is more similar than its center. An id
  // that is not settled may still become a leader.
  void ask_best(size_t first, size_t last) {
    inquiries_.clear();
    for (size_t position = first; position < last; ++position) {
      const uint32_t id = leaders_.id(position);
      if (clustering_.is_center(id) || leaders_.is_empty(position)) continue;
      inquiries_.push_back({position, clustering_.sum_of_minima[id] + 1});
    }
    answer(Assign::best);
  }

  void answer(Assign assign) {
    answers_.resize(inquiries_.size());
    leaders_.answer(inquiries_, assign, answers_, scratch_, pool_);
    for (size_t i = 0; i < inquiries_.size(); ++i) join(inquiries_[i].position, answers_[i]);
  }

  template <class Work>
  Status for_each_stretch(size_t begin, size_t end, size_t longest, const Work& work) {
    while (begin < end) {
      KITH_ASSIGN(const size_t readable, leaders_.load(begin));
      const size_t last = std::min({begin + longest, readable, end});
      work(begin, last);
      begin = last;
    }
    return Status::ok();
  }

  bool join(size_t position, similar::Neighbour leader) {
    if (leader.id == similar::no_id) return false;
    clustering_.join(leaders_.id(position), leader.id, leader.sum_of_minima);
    return true;
  }

  Source& leaders_;
  std::span<Scratch> scratch_;
  ThreadPool& pool_;
  Clustering clustering_;
  const LeaderProgress* progress_ = nullptr;
  double passes_ = 1;
  uint64_t phases_ = 0;
  std::vector<Inquiry> inquiries_;
  std::vector<uint32_t> open_;  // of the stretch: numbers of inquiries without an answer
  std::vector<similar::Neighbour> answers_;
};

}  // namespace kith::cluster
