#include <algorithm>
#include <array>
#include <vector>

#include "base/check.h"
#include "cluster/bag_matcher.h"
#include "cluster/batch_probe.h"
#include "cluster/leader_index.h"
#include "cluster/leader_rows.h"
#include "cluster/leader_scan.h"
#include "cluster/leader_tables.h"

namespace kith::cluster {
namespace {

// The leaders met in one look-up, as far as 16 KiB remember them. insert() is true for every one
// that is new, and for one that is not if another has taken its slot since.
class RecentLeaders {
 public:
  void start() {
    if (++look_up_ != 0) return;
    slots_.fill(0);
    look_up_ = 1;
  }
  bool insert(uint32_t leader) {
    uint64_t& slot = slots_[leader % slots_.size()];
    const uint64_t entry = uint64_t{look_up_} << 32 | leader;
    if (slot == entry) return false;
    slot = entry;
    return true;
  }

 private:
  std::array<uint64_t, 2048> slots_{};
  uint32_t look_up_ = 0;
};

// What the sources of one scan share.
struct Problem {
  OrderedRows& rows;
  const lsh::Tables& tables;
  PlaneBars bars;
  uint32_t least_sum;
};

// Leaders in hash tables by their keys; candidates are verified on the plane, then on the bags.
class LshSource {
 public:
  struct Scratch {
    Scratch(uint32_t tables, uint32_t lanes) : keys(tables), plane(lanes) {}
    std::vector<uint64_t> keys;
    std::vector<uint8_t> plane;  // of the row that asks
    std::vector<uint32_t> candidates;
    std::vector<uint32_t> equal;  // lanes, by candidate
    std::vector<uint32_t> more_equal;
    RecentLeaders recent;
    BagMatcher matcher;
    LeaderStats stats;
  };

  // Room for so many leaders at first; full at `most`, which one stretch may exceed.
  LshSource(const Problem& problem, size_t expected, size_t most, size_t batch)
      : problem_(problem),
        expected_(std::min(expected, most)),
        most_(most),
        most_room_(most + std::min(batches_a_stretch * batch, SIZE_MAX - most)),
        hashed_(tables()),
        leaders_(problem.tables.params().lanes),
        probe_(problem.tables, problem.bars) {}

  size_t positions() const { return problem_.rows.size(); }
  uint32_t id(size_t position) const { return problem_.rows.order()[position]; }
  Result<size_t> load(size_t position) { return problem_.rows.load(position); }
  bool is_empty(size_t position) const { return problem_.rows[position].bag.empty(); }
  bool full() const { return leaders_.size() >= most_; }

  pairs::Neighbour earliest(size_t position, Scratch& scratch) const {
    const Row row = problem_.rows[position];
    find_candidates(row, scratch);
    return choose(row, Assign::first, problem_.least_sum, scratch);
  }

  void answer(std::span<const Inquiry> inquiries, Assign assign,
              std::span<pairs::Neighbour> answers, std::span<Scratch> scratch, ThreadPool& pool) {
    positions_.clear();
    for (const Inquiry& inquiry : inquiries) positions_.push_back(inquiry.position);
    probe_.run(hashed_, leaders_, problem_.rows, positions_, pool);
    constexpr size_t grain = 64;
    pool.for_chunks(inquiries.size(), grain, [&](size_t begin, size_t end, unsigned worker) {
      Scratch& mine = scratch[worker];
      for (size_t i = begin; i < end; ++i) {
        mine.candidates.clear();
        for (const ShortKeyId& found : probe_.candidates(i)) mine.candidates.push_back(found.id);
        const uint32_t least_sum = std::max(inquiries[i].least_sum, problem_.least_sum);
        answers[i] = choose(problem_.rows[positions_[i]], assign, least_sum, mine);
      }
    });
  }

  // Pairs compared on the plane by answer().
  uint64_t compared() const { return probe_.compared(); }

  void insert(size_t position, Scratch& scratch) {
    const Row row = problem_.rows[position];
    make_room(1);
    const auto leader = static_cast<uint32_t>(leaders_.size());
    leaders_.add(row);
    problem_.tables.keys(row.signature, scratch.keys);
    for (uint32_t table = 0; table < tables(); ++table) {
      hashed_.insert(table, scratch.keys[table], leader);
    }
  }

  // Every worker fills tables of its own.
  void insert(std::span<const size_t> positions, ThreadPool& pool) {
    if (positions.empty()) return;
    make_room(positions.size(), &pool);
    const size_t first = leaders_.size();
    for (const size_t position : positions) leaders_.add(problem_.rows[position]);
    hash_leaders(first, pool);
  }

  void clear() {
    if (leaders_.size() == 0) return;
    leaders_.clear();
    hashed_.clear();
  }

 private:
  uint32_t tables() const { return problem_.tables.params().tables; }

  // Tables that are too small are made anew, half as large again.
  void make_room(size_t more, ThreadPool* pool = nullptr) {
    const size_t needed = leaders_.size() + more;
    if (needed <= hashed_.capacity()) return;
    const size_t room = std::max({needed, expected_ + expected_ / 16, needed + needed / 2});
    hashed_.reset(std::max(needed, std::min(room, most_room_)));
    leaders_.reserve(hashed_.capacity());
    if (leaders_.size() == 0) return;
    if (pool != nullptr) return hash_leaders(0, *pool);
    insert_tables(0, tables(), 0);
  }

  void hash_leaders(size_t first, ThreadPool& pool) {
    const size_t grain = (tables() + pool.size() - 1) / pool.size();
    pool.for_chunks(tables(), grain, [&](size_t begin, size_t end, unsigned) {
      insert_tables(static_cast<uint32_t>(begin), static_cast<uint32_t>(end), first);
    });
  }

  // Enters leaders [first, ...) into the tables [begin, end). The lines that a leader's entries
  // go to are fetched while the previous leader is entered.
  void insert_tables(uint32_t begin, uint32_t end, size_t first) {
    const size_t width = end - begin;
    std::vector<uint64_t> ring(2 * width);
    const auto keys_of = [&](size_t leader) {
      return std::span(ring).subspan(leader % 2 * width, width);
    };
    const auto fetch = [&](size_t leader) {
      const auto signature = leaders_.signature(static_cast<uint32_t>(leader));
      const std::span<uint64_t> keys = keys_of(leader);
      for (uint32_t table = begin; table < end; ++table) {
        keys[table - begin] = problem_.tables.key(table, signature);
        hashed_.prefetch(table, keys[table - begin]);
      }
    };
    fetch(first);
    for (size_t leader = first; leader < leaders_.size(); ++leader) {
      if (leader + 1 < leaders_.size()) fetch(leader + 1);
      const std::span<const uint64_t> keys = keys_of(leader);
      for (uint32_t table = begin; table < end; ++table) {
        hashed_.insert(table, keys[table - begin], static_cast<uint32_t>(leader));
      }
    }
  }

  // The first, or the most similar, of the candidates (first inserted first) that is verified.
  pairs::Neighbour choose(const Row& row, Assign assign, uint32_t least_sum,
                          Scratch& scratch) const {
    pairs::Neighbour best{pairs::no_id, 0};
    ++scratch.stats.probes;
    if (scratch.candidates.empty()) return best;
    scratch.matcher.set(row.bag);
    for (const uint32_t leader : scratch.candidates) {
      const uint32_t sum = verify(row, leader, least_sum, scratch);
      if (sum == 0) continue;
      best = {leaders_.id(leader), sum};
      if (assign == Assign::first) break;
      least_sum = sum + 1;
    }
    scratch.matcher.set({});  // the row may leave the memory
    return best;
  }

  // scratch.candidates: the leaders that share a bucket tag with the row in some table and enough
  // lanes of the plane, first inserted first, hardly ever one twice.
  void find_candidates(const Row& row, Scratch& scratch) const {
    scratch.candidates.clear();
    scratch.recent.start();
    problem_.tables.keys(row.signature, scratch.keys);
    for (uint32_t table = 0; table < tables(); ++table) {
      hashed_.prefetch(table, scratch.keys[table]);
    }
    for (uint32_t table = 0; table < tables(); ++table) {
      hashed_.find(table, scratch.keys[table], [&](uint32_t leader) {
        if (scratch.recent.insert(leader)) scratch.candidates.push_back(leader);
      });
    }
    scratch.stats.candidates += scratch.candidates.size();
    if (scratch.candidates.empty()) return;
    low_bytes(row.signature, scratch.plane);
    keep_similar_on_plane(scratch);
    std::ranges::sort(scratch.candidates);
  }

  void keep_similar_on_plane(Scratch& scratch) const {
    const uint32_t lanes = leaders_.lanes();
    const uint32_t first = LeaderRows::first_lanes(lanes);
    const std::span<const uint8_t> plane = scratch.plane;
    std::vector<uint32_t>& candidates = scratch.candidates;
    scratch.equal.resize(candidates.size());
    count_equal_at(plane.first(first), leaders_.first_plane(), candidates, scratch.equal);
    keep(problem_.bars.first, scratch);
    if (first == lanes) return;
    scratch.more_equal.resize(candidates.size());
    count_equal_at(plane.subspan(first), leaders_.second_plane(), candidates, scratch.more_equal);
    for (size_t i = 0; i < candidates.size(); ++i) scratch.equal[i] += scratch.more_equal[i];
    keep(problem_.bars.all, scratch);
  }

  // Drops the candidates that agree in fewer lanes than the bar.
  static void keep(uint32_t bar, Scratch& scratch) {
    size_t kept = 0;
    for (size_t i = 0; i < scratch.candidates.size(); ++i) {
      scratch.candidates[kept] = scratch.candidates[i];
      scratch.equal[kept] = scratch.equal[i];
      kept += scratch.equal[i] >= bar;
    }
    scratch.candidates.resize(kept);
    scratch.equal.resize(kept);
  }

  // The sum of minima if it is at least least_sum and the two collide in a table; else 0. A tag
  // may have deceived, and what it lets in depends on what else stands in the bucket.
  uint32_t verify(const Row& row, uint32_t leader, uint32_t least_sum, Scratch& scratch) const {
    ++scratch.stats.merges;
    const uint32_t sum = scratch.matcher.sum_of_minima(leaders_.bag(leader));
    if (sum < least_sum) return 0;
    const uint32_t table =
        problem_.tables.first_collision(row.signature, leaders_.signature(leader));
    return table < tables() ? sum : 0;
  }

  const Problem& problem_;
  const size_t expected_;
  const size_t most_;
  const size_t most_room_;
  LeaderTables hashed_;
  LeaderRows leaders_;  // in scan order
  BatchProbe probe_;
  std::vector<size_t> positions_;  // of the rows that ask at once
};

}  // namespace

PlaneBars plane_bars(uint32_t least_sum, uint32_t lanes, double miss) {
  const double similarity = similarity_of(least_sum);
  const uint32_t first = LeaderRows::first_lanes(lanes);
  if (first == lanes) {
    const uint32_t bar = least_equal(similarity, lanes, 8, miss);
    return {first, bar, bar};
  }
  return {first, least_equal(similarity, first, 8, miss / 2),
          least_equal(similarity, lanes, 8, miss / 2)};
}

uint64_t leader_bytes(double mean_row_bytes, const lsh::TableParams& tables) {
  return LeaderRows::bytes_of_one(tables.lanes) + static_cast<uint64_t>(mean_row_bytes) +
         tables.tables * LeaderTables::bytes_of_entry();
}

Result<LeaderResult> lsh_leaders(size_t n, OrderedRows& rows, const lsh::Tables& tables,
                                 const LeaderOptions& options, ThreadPool& pool,
                                 const LeaderProgress& progress) {
  const uint32_t lanes = tables.params().lanes;
  const Problem problem{rows, tables, plane_bars(options.least_sum, lanes, options.plane_miss),
                        options.least_sum};
  LshSource leaders(problem, options.expected_leaders, options.most_leaders, options.batch);
  LshSource recent_leaders(problem, 0, SIZE_MAX, options.batch);
  LshSource batch_leaders(problem, 0, SIZE_MAX, options.batch);
  std::vector<LshSource::Scratch> scratch(pool.size(),
                                          LshSource::Scratch(tables.params().tables, lanes));
  LeaderScan scan(leaders, recent_leaders, batch_leaders, std::span(scratch), pool);

  LeaderResult result;
  KITH_ASSIGN(result.clustering, scan.run(n, options, progress));
  result.stats.phases = scan.phases();
  for (const uint32_t id : rows.order()) result.stats.leaders += result.clustering.is_center(id);
  result.stats.candidates = leaders.compared() + recent_leaders.compared();
  for (const LshSource::Scratch& one : scratch) {
    result.stats.probes += one.stats.probes;
    result.stats.candidates += one.stats.candidates;
    result.stats.merges += one.stats.merges;
  }
  return result;
}

}  // namespace kith::cluster
