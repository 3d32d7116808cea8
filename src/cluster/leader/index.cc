#include "cluster/leader/index.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/stores.h"
#include "cluster/leader/batch_probe.h"
#include "cluster/leader/rows.h"
#include "cluster/leader/scan.h"
#include "similar/exact/inverted_index.h"

namespace kith::cluster {
namespace {

// Leaders in an inverted index, which gives the exact sums itself. It reads their bags, of which it
// has copies where the rows do not stay.
class ExactSource {
 public:
  struct alignas(worker_alignment) Scratch {
    similar::InvertedIndex::Scratch index;
    std::vector<similar::Neighbour> found;
  };

  ExactSource(OrderedRows& rows, const LeaderOptions& options)
      : rows_(rows),
        classes_(options.classes),
        min_sum_(options.min_sum),
        max_bytes_(options.max_bytes) {}

  size_t positions() const { return rows_.size(); }
  uint32_t id(size_t position) const { return rows_.order()[position]; }
  Result<size_t> load(size_t position) { return rows_.load(position); }
  bool is_empty(size_t position) const { return rows_.is_empty(position); }
  bool full() const { return index_.size() > 0 && index_.bytes() + copies_.bytes() >= max_bytes_; }

  void answer(std::span<const Inquiry> inquiries, Assign assign,
              std::span<similar::Neighbour> answers, std::span<Scratch> scratch, ThreadPool& pool) {
    inquiries_ = inquiries;
    constexpr size_t grain = 64;
    pool.for_chunks(inquiries.size(), grain, [&](size_t begin, size_t end, unsigned worker) {
      for (size_t i = begin; i < end; ++i) {
        const Inquiry& inquiry = inquiries[i];
        answers[i] = assign == Assign::first ? earliest(inquiry.position, scratch[worker])
                                             : max_similar(inquiry, scratch[worker]);
      }
    });
  }

  void start(std::span<const uint32_t> open, ThreadPool&) {
    open_ = open;
    made_.clear();
    recent_ = similar::InvertedIndex();
  }
  similar::Neighbour earliest(size_t i, ThreadPool&) {
    const size_t position = position_of(i);
    return recent_.earliest(bag(position), min_sum_, scratch_, class_of(position));
  }
  void make_leader(size_t i) {
    made_.push_back(position_of(i));
    recent_.insert(id(made_.back()), bag(made_.back()));
  }
  void insert_leaders(ThreadPool&) {
    for (const size_t position : made_) {
      index_.insert(id(position), rows_.stay() ? bag(position) : copies_.copy(bag(position)));
    }
  }

  void clear() {
    index_ = similar::InvertedIndex();
    copies_.clear();
  }

  // Of what was done without a Scratch of the caller.
  const similar::InvertedIndex::Scratch& scratch() const { return scratch_; }

 private:
  similar::Neighbour earliest(size_t position, Scratch& scratch) const {
    return index_.earliest(bag(position), min_sum_, scratch.index, class_of(position));
  }

  similar::Neighbour max_similar(const Inquiry& inquiry, Scratch& scratch) const {
    const uint32_t min_sum = std::max(inquiry.min_sum, min_sum_);
    index_.query(bag(inquiry.position), min_sum, scratch.index, scratch.found,
                 class_of(inquiry.position));
    similar::Neighbour best{similar::no_id, 0};
    for (const similar::Neighbour& leader : scratch.found) {
      if (leader.sum_of_minima > best.sum_of_minima) best = leader;
    }
    return best;
  }

  sketch::Bag bag(size_t position) const { return rows_[position].bag; }
  similar::ClassQuestion class_of(size_t position) const {
    return {classes_, classes_.of(id(position))};
  }
  size_t position_of(size_t i) const { return inquiries_[open_[i]].position; }

  OrderedRows& rows_;
  const similar::Classes classes_;
  const uint32_t min_sum_;
  const uint64_t max_bytes_;
  similar::InvertedIndex index_;
  StableStore copies_;
  std::span<const Inquiry> inquiries_;  // the last
  // Those of them that are decided in order.
  std::span<const uint32_t> open_;
  std::vector<size_t> made_;       // leaders: positions
  similar::InvertedIndex recent_;  // of them
  similar::InvertedIndex::Scratch scratch_;
};

}  // namespace

Result<LeaderResult> exact_leaders(size_t n, OrderedRows& rows, const LeaderOptions& options,
                                   ThreadPool& pool, const LeaderProgress& progress) {
  ExactSource leaders(rows, options);
  std::vector<ExactSource::Scratch> scratch(pool.size());
  LeaderScan scan(leaders, std::span(scratch), pool);

  LeaderResult result;
  KITH_ASSIGN(result.clustering, scan.run(n, options, progress));
  result.stats.phases = scan.phases();
  for (const uint32_t id : rows.order()) result.stats.leaders += result.clustering.is_center(id);
  const auto add = [&](const similar::InvertedIndex::Scratch& one) {
    result.stats.probes += one.work.queries;
    result.stats.merges += one.work.merges;
  };
  for (const ExactSource::Scratch& one : scratch) add(one.index);
  add(leaders.scratch());
  return result;
}

// What lsh_leaders() takes.
uint64_t leader_bytes(double row_bytes, const LshBuckets& buckets, size_t ids) {
  double entries = 0;
  for (const uint64_t sharing : buckets.sharing) entries += static_cast<double>(sharing);
  entries /= static_cast<double>(std::max<size_t>(ids, 1));
  return LeaderRows::bytes_of_one(buckets.tables.params().lanes) +
         static_cast<uint64_t>(row_bytes + entries * double{LeaderTables::bytes_of_entry()});
}

uint64_t directory_bytes(const LshBuckets& buckets) {
  uint64_t bytes = 0;
  for (uint32_t table = 0; table < buckets.sharing.size(); ++table) {
    bytes += LeaderTables::bytes_of_directory(buckets.short_parts(table));
  }
  return bytes;
}

uint64_t asking_bytes(const sketch::TableParams& tables) {
  return PartLists::bytes_per_row(tables.tables) + LeaderRows::bytes_of_one(tables.lanes) +
         sizeof(Inquiry) + sizeof(similar::Neighbour);
}

}  // namespace kith::cluster
