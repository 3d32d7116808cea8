#include <algorithm>
#include <array>
#include <vector>

#include "base/check.h"
#include "cluster/bag_matcher.h"
#include "cluster/leader_index.h"
#include "cluster/leader_scan.h"
#include "cluster/leader_tables.h"
#include "cluster/order.h"

namespace kith::cluster {
namespace {

// The ids met in one look-up, as far as 16 KiB remember them. insert() is true for every id that
// is new, and for one that is not if another has taken its slot since.
class RecentIds {
 public:
  void start() {
    if (++look_up_ != 0) return;
    slots_.fill(0);
    look_up_ = 1;
  }
  bool insert(uint32_t id) {
    uint64_t& slot = slots_[id % slots_.size()];
    const uint64_t entry = uint64_t{look_up_} << 32 | id;
    if (slot == entry) return false;
    slot = entry;
    return true;
  }

 private:
  std::array<uint64_t, 2048> slots_{};
  uint32_t look_up_ = 0;
};

// What all sources of one scan share. Immutable.
struct Problem {
  const SketchedBags& sketched;
  const lsh::Tables& tables;
  std::vector<uint32_t> ranks;
  uint32_t least_sum;
  uint32_t least_equal;  // lanes of the plane
};

// Leaders in hash tables by their keys; candidates are verified on the plane, then on the bags.
class LshSource {
 public:
  struct Scratch {
    explicit Scratch(uint32_t tables) : keys(tables) {}
    std::vector<uint64_t> keys;
    std::vector<uint32_t> candidates;
    std::vector<uint32_t> equal;  // lanes, by candidate
    RecentIds recent;
    BagMatcher matcher;
    LeaderStats stats;
  };

  explicit LshSource(const Problem& problem)
      : problem_(problem), hashed_(problem.tables.params().tables) {}

  bool is_empty(uint32_t id) const { return problem_.sketched.bags[id].empty(); }

  pairs::Neighbour earliest(uint32_t id, Scratch& scratch) const {
    find_candidates(id, scratch);
    const auto rank = [&](uint32_t candidate) { return problem_.ranks[candidate]; };
    std::ranges::sort(scratch.candidates, {}, rank);
    for (const uint32_t candidate : scratch.candidates) {
      const uint32_t sum = verify(id, candidate, problem_.least_sum, scratch);
      if (sum > 0) return {candidate, sum};
    }
    return {pairs::no_id, 0};
  }

  pairs::Neighbour most_similar(uint32_t id, uint32_t least_sum, Scratch& scratch) const {
    find_candidates(id, scratch);
    pairs::Neighbour best{pairs::no_id, 0};
    for (const uint32_t candidate : scratch.candidates) {
      const uint32_t bar = std::max(least_sum, best.sum_of_minima);
      const uint32_t sum = verify(id, candidate, bar, scratch);
      if (sum == 0) continue;
      const bool tie = sum == best.sum_of_minima;
      if (tie && problem_.ranks[candidate] > problem_.ranks[best.id]) continue;
      best = {candidate, sum};
    }
    return best;
  }

  void insert(uint32_t id, Scratch& scratch) {
    leaders_.push_back(id);
    if (leaders_.size() > hashed_.capacity()) {
      grow();
      insert_tables(0, tables(), 0);
      return;
    }
    problem_.tables.keys(problem_.sketched.signatures[id], scratch.keys);
    for (uint32_t table = 0; table < tables(); ++table) {
      hashed_.insert(table, scratch.keys[table], id);
    }
  }

  // Every worker fills tables of its own.
  void insert(std::span<const uint32_t> ids, ThreadPool& pool) {
    size_t first = leaders_.size();
    leaders_.insert(leaders_.end(), ids.begin(), ids.end());
    if (leaders_.size() > hashed_.capacity()) {
      grow();
      first = 0;
    }
    if (first == leaders_.size()) return;
    const size_t grain = (tables() + pool.size() - 1) / pool.size();
    pool.for_chunks(tables(), grain, [&](size_t begin, size_t end, unsigned) {
      insert_tables(static_cast<uint32_t>(begin), static_cast<uint32_t>(end), first);
    });
  }

  void clear() {
    if (leaders_.empty()) return;
    leaders_.clear();
    hashed_.clear();
  }

 private:
  uint32_t tables() const { return problem_.tables.params().tables; }

  // Makes room for all leaders_ and half as many more; the tables are empty afterwards.
  void grow() { hashed_.reset(leaders_.size() + leaders_.size() / 2 + 64); }

  // Enters leaders_[first, ...) into the tables [begin, end). The lines that a leader's entries
  // go to are fetched while the previous leader is entered.
  void insert_tables(uint32_t begin, uint32_t end, size_t first) {
    const size_t width = end - begin;
    std::vector<uint64_t> ring(2 * width);
    const auto keys_of = [&](size_t leader) {
      return std::span(ring).subspan(leader % 2 * width, width);
    };
    const auto fetch = [&](size_t leader) {
      const auto signature = problem_.sketched.signatures[leaders_[leader]];
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
        hashed_.insert(table, keys[table - begin], leaders_[leader]);
      }
    }
  }

  // scratch.candidates: the leaders that share a bucket tag with id in some table and enough
  // lanes of the plane, in no order, hardly ever one twice.
  void find_candidates(uint32_t id, Scratch& scratch) const {
    scratch.candidates.clear();
    scratch.recent.start();
    ++scratch.stats.probes;
    problem_.tables.keys(problem_.sketched.signatures[id], scratch.keys);
    for (uint32_t table = 0; table < tables(); ++table) {
      hashed_.prefetch(table, scratch.keys[table]);
    }
    for (uint32_t table = 0; table < tables(); ++table) {
      hashed_.find(table, scratch.keys[table], [&](uint32_t leader) {
        if (scratch.recent.insert(leader)) scratch.candidates.push_back(leader);
      });
    }
    scratch.stats.candidates += scratch.candidates.size();
    keep_similar_on_plane(id, scratch);
    if (!scratch.candidates.empty()) scratch.matcher.set(problem_.sketched.bags[id]);
  }

  void keep_similar_on_plane(uint32_t id, Scratch& scratch) const {
    const SignaturePlane& plane = problem_.sketched.plane;
    scratch.equal.resize(scratch.candidates.size());
    count_equal_at(plane[id], plane, scratch.candidates, scratch.equal);
    size_t kept = 0;
    for (size_t i = 0; i < scratch.candidates.size(); ++i) {
      scratch.candidates[kept] = scratch.candidates[i];
      kept += scratch.equal[i] >= problem_.least_equal;
    }
    scratch.candidates.resize(kept);
  }

  // The sum of minima if it is at least least_sum and the two collide in a table; else 0. A tag
  // may have deceived, and what it lets in depends on what else stands in the bucket.
  uint32_t verify(uint32_t id, uint32_t leader, uint32_t least_sum, Scratch& scratch) const {
    const SketchedBags& sketched = problem_.sketched;
    ++scratch.stats.merges;
    const uint32_t sum = scratch.matcher.sum_of_minima(sketched.bags[leader]);
    if (sum < least_sum) return 0;
    const uint32_t table =
        problem_.tables.first_collision(sketched.signatures[id], sketched.signatures[leader]);
    return table < tables() ? sum : 0;
  }

  const Problem& problem_;
  LeaderTables hashed_;
  std::vector<uint32_t> leaders_;  // in scan order
};

}  // namespace

LeaderResult lsh_leaders(const SketchedBags& sketched, const lsh::Tables& tables,
                         std::span<const uint32_t> order, const LeaderOptions& options,
                         ThreadPool& pool, const LeaderProgress& progress) {
  const uint32_t lanes = tables.params().lanes;
  KITH_CHECK(order.empty() ||
             (sketched.signatures.lanes() == lanes && sketched.plane.lanes() == lanes));
  const Problem problem{
      sketched, tables, ranks_of(order, sketched.bags.size()), options.least_sum,
      least_equal(similarity_of(options.least_sum), lanes, 8, options.plane_miss)};
  LshSource leaders(problem);
  LshSource batch_leaders(problem);
  std::vector<LshSource::Scratch> scratch(pool.size(), LshSource::Scratch(tables.params().tables));
  LeaderScan scan(leaders, batch_leaders, std::span(scratch), pool);

  LeaderResult result;
  result.clustering = scan.run(sketched.bags.size(), order, options, progress);
  for (const uint32_t id : order) result.stats.leaders += result.clustering.is_center(id);
  for (const LshSource::Scratch& one : scratch) {
    result.stats.probes += one.stats.probes;
    result.stats.candidates += one.stats.candidates;
    result.stats.merges += one.stats.merges;
  }
  return result;
}

}  // namespace kith::cluster
