#include <algorithm>
#include <vector>

#include "cluster/bag_matcher.h"
#include "cluster/batch_probe.h"
#include "cluster/leader_index.h"
#include "cluster/leader_rows.h"
#include "cluster/leader_scan.h"
#include "cluster/leader_tables.h"

namespace kith::cluster {
namespace {

// What the sources of one scan share.
struct Problem {
  OrderedRows& rows;
  const LshBuckets& buckets;
  uint32_t plane_bar;
  uint32_t least_sum;
};

bool meet(const LshBuckets& buckets, const Row& a, const Row& b) {
  for (uint32_t table = 0; table < buckets.tables.params().tables; ++table) {
    const uint64_t key = buckets.tables.key(table, a.signature);
    if (key != buckets.tables.key(table, b.signature)) continue;
    if (buckets.splits.part(table, key, a.id, a.signature) ==
        buckets.splits.part(table, key, b.id, b.signature)) {
      return true;
    }
  }
  return false;
}

// Leaders in tables by their parts; candidates are verified on the plane, then on the bags.
class LshSource {
 public:
  struct Scratch {
    BagMatcher matcher;
    LeaderStats stats;
  };

  // Full at `most` leaders, which one stretch may exceed. copies: see LeaderRows.
  LshSource(const Problem& problem, size_t most, size_t stretch, bool copies)
      : problem_(problem),
        most_(most),
        room_(std::min(problem.rows.size(), most + std::min(stretch, SIZE_MAX - most))),
        tables_(problem.buckets.tables.params().tables),
        leaders_(problem.buckets.tables.params().lanes, copies),
        probe_(problem.buckets, problem.plane_bar),
        lists_(problem.buckets) {}

  size_t positions() const { return problem_.rows.size(); }
  uint32_t id(size_t position) const { return problem_.rows.order()[position]; }
  Result<size_t> load(size_t position) { return problem_.rows.load(position); }
  bool is_empty(size_t position) const { return problem_.rows[position].bag.empty(); }
  bool full() const { return leaders_.size() >= most_; }

  void answer(std::span<const Inquiry> inquiries, Assign assign,
              std::span<pairs::Neighbour> answers, std::span<Scratch> scratch, ThreadPool& pool) {
    positions_.clear();
    for (const Inquiry& inquiry : inquiries) positions_.push_back(inquiry.position);
    probe_.run(tables_, leaders_, problem_.rows, positions_, pool);
    constexpr size_t grain = 64;
    pool.for_chunks(inquiries.size(), grain, [&](size_t begin, size_t end, unsigned worker) {
      Scratch& mine = scratch[worker];
      for (size_t i = begin; i < end; ++i) {
        prefetch_answers(i, end);
        const uint32_t least_sum = std::max(inquiries[i].least_sum, problem_.least_sum);
        answers[i] =
            choose(problem_.rows[positions_[i]], probe_.candidates(i), assign, least_sum, mine);
      }
    });
  }

  // Pairs compared on the plane by answer().
  uint64_t compared() const { return probe_.compared(); }

  void insert(std::span<const size_t> positions, ThreadPool& pool) {
    if (positions.empty()) return;
    const size_t first = grow(positions.size());
    lists_.fill(problem_.rows, positions, static_cast<uint32_t>(first), pool,
                [&](size_t i, const Row& row) { leaders_.set(first + i, row); });
    scratch_.resize(pool.size());
    pool.for_chunks(tables(), 1, [&](size_t begin, size_t end, unsigned worker) {
      for (auto table = static_cast<uint32_t>(begin); table < end; ++table) {
        tables_.merge(table, lists_.sorted(table, scratch_[worker]));
      }
    });
  }

  void absorb(LshSource& later, ThreadPool& pool) {
    const size_t first = grow(later.leaders_.size());
    leaders_.set(first, later.leaders_, pool);
    pool.for_chunks(tables(), 1, [&](size_t begin, size_t end, unsigned) {
      for (auto table = static_cast<uint32_t>(begin); table < end; ++table) {
        tables_.merge(table, later.tables_.entries(table), static_cast<uint32_t>(first));
      }
    });
    later.clear();
  }

  void clear() {
    if (leaders_.size() == 0) return;
    leaders_.clear();
    tables_.clear();
  }

 private:
  uint32_t tables() const { return problem_.buckets.tables.params().tables; }

  // Returns the number of the first of n new leaders.
  size_t grow(size_t n) {
    const size_t first = leaders_.size();
    leaders_.reserve(room_);
    leaders_.grow(n);
    return first;
  }

  // Most rows have a candidate or two, each at a place of its own.
  void prefetch_answers(size_t i, size_t end) const {
    constexpr size_t ahead = 4;
    if (i + 2 * ahead < end) {
      for (const ShortKeyId& found : probe_.candidates(i + 2 * ahead)) {
        leaders_.prefetch_row(found.id);
      }
    }
    if (i + ahead < end) {
      for (const ShortKeyId& found : probe_.candidates(i + ahead)) leaders_.prefetch_bag(found.id);
    }
  }

  // The first, or the most similar, of the candidates (first inserted first) that is verified.
  pairs::Neighbour choose(const Row& row, std::span<const ShortKeyId> candidates, Assign assign,
                          uint32_t least_sum, Scratch& scratch) const {
    pairs::Neighbour best{pairs::no_id, 0};
    ++scratch.stats.probes;
    if (candidates.empty()) return best;
    scratch.matcher.set(row.bag);
    for (const ShortKeyId& candidate : candidates) {
      const uint32_t sum = verify(row, candidate.id, least_sum, scratch);
      if (sum == 0) continue;
      best = {leaders_[candidate.id].id, sum};
      if (assign == Assign::first) break;
      least_sum = sum + 1;
    }
    scratch.matcher.set({});  // the row may leave the memory
    return best;
  }

  // The sum of minima if it is at least least_sum and the two meet in a table, and not only their
  // keys of 32 bits; else 0.
  uint32_t verify(const Row& row, uint32_t leader, uint32_t least_sum, Scratch& scratch) const {
    ++scratch.stats.merges;
    const uint32_t sum = scratch.matcher.sum_of_minima(leaders_[leader].bag);
    return sum >= least_sum && meet(problem_.buckets, row, leaders_[leader]) ? sum : 0;
  }

  const Problem& problem_;
  const size_t most_;
  const size_t room_;
  LeaderTables tables_;
  LeaderRows leaders_;  // in scan order
  BatchProbe probe_;
  PartLists lists_;  // of new leaders
  std::vector<PartLists::Scratch> scratch_;
  std::vector<size_t> positions_;  // of the rows that ask at once
};

// A batch's candidates among itself are found at once; their bags are compared as it is decided who
// is a leader.
class LshBatch {
 public:
  explicit LshBatch(const Problem& problem)
      : problem_(problem), probe_(problem.buckets, problem.plane_bar) {}

  void start(std::span<const size_t> positions, ThreadPool& pool) {
    positions_ = positions;
    is_leader_.assign(positions.size(), 0);
    probe_.run_among(problem_.rows, positions, pool);
    stats_.probes += positions.size();
  }

  pairs::Neighbour earliest(size_t i) {
    pairs::Neighbour first{pairs::no_id, 0};
    bool set = false;
    for (const ShortKeyId& candidate : probe_.candidates(i)) {
      if (is_leader_[candidate.id] == 0) continue;
      if (!set) matcher_.set(row(i).bag);
      set = true;
      ++stats_.merges;
      const Row leader = row(candidate.id);
      const uint32_t sum = matcher_.sum_of_minima(leader.bag);
      if (sum < problem_.least_sum || !meet(problem_.buckets, row(i), leader)) continue;
      first = {leader.id, sum};
      break;
    }
    if (set) matcher_.set({});  // the row may leave the memory
    return first;
  }

  void make_leader(size_t i) { is_leader_[i] = 1; }

  LeaderStats stats() const {
    LeaderStats all = stats_;
    all.candidates = probe_.compared();
    return all;
  }

 private:
  Row row(size_t i) const { return problem_.rows[positions_[i]]; }

  const Problem& problem_;
  BatchProbe probe_;
  std::span<const size_t> positions_;
  std::vector<uint8_t> is_leader_;  // by place in the batch
  BagMatcher matcher_;
  LeaderStats stats_;
};

}  // namespace

uint32_t plane_bar(uint32_t least_sum, uint32_t lanes, double miss) {
  return least_equal(similarity_of(least_sum), lanes, 8, miss);
}

uint64_t leader_bytes(double row_bytes, const LshBuckets& buckets, size_t ids) {
  double entries = 0;
  for (const uint64_t sharing : buckets.sharing) entries += static_cast<double>(sharing);
  entries /= static_cast<double>(std::max<size_t>(ids, 1));
  return LeaderRows::bytes_of_one(buckets.tables.params().lanes) +
         static_cast<uint64_t>(row_bytes + entries * LeaderTables::bytes_of_entry());
}

uint64_t asking_bytes(const lsh::TableParams& tables) {
  // Those that ask are a stretch at a time, and then its recent leaders and a batch of it.
  return 2 * PartLists::bytes_a_row(tables.tables) + 2 * LeaderRows::bytes_of_one(tables.lanes) +
         sizeof(Inquiry) + sizeof(pairs::Neighbour);
}

Result<LeaderResult> lsh_leaders(size_t n, OrderedRows& rows, const LshBuckets& buckets,
                                 const LeaderOptions& options, ThreadPool& pool,
                                 const LeaderProgress& progress) {
  const uint32_t lanes = buckets.tables.params().lanes;
  const Problem problem{rows, buckets, plane_bar(options.least_sum, lanes, options.plane_miss),
                        options.least_sum};
  LshSource leaders(problem, options.most_leaders, options.stretch, !rows.stay());
  // The rows of a stretch stay as long as it is at hand.
  LshSource recent_leaders(problem, options.stretch, 0, false);
  LshBatch batch(problem);
  std::vector<LshSource::Scratch> scratch(pool.size());
  LeaderScan scan(leaders, recent_leaders, batch, std::span(scratch), pool);

  LeaderResult result;
  KITH_ASSIGN(result.clustering, scan.run(n, options, progress));
  result.stats.phases = scan.phases();
  for (const uint32_t id : rows.order()) result.stats.leaders += result.clustering.is_center(id);
  const auto add = [&](const LeaderStats& more) {
    result.stats.probes += more.probes;
    result.stats.candidates += more.candidates;
    result.stats.merges += more.merges;
  };
  for (const LshSource::Scratch& one : scratch) add(one.stats);
  add(batch.stats());
  result.stats.candidates += leaders.compared() + recent_leaders.compared();
  return result;
}

}  // namespace kith::cluster
