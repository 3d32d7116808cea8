#include <algorithm>
#include <vector>

#include "base/memory.h"
#include "cluster/leader/batch_probe.h"
#include "cluster/leader/index.h"
#include "cluster/leader/rows.h"
#include "cluster/leader/scan.h"

namespace kith::cluster {
namespace {

// What the sources of one scan share.
struct Problem {
  OrderedRows& rows;
  const LshBuckets& buckets;
  uint32_t plane_bar;
  uint32_t min_sum;
};

bool meet(const LshBuckets& buckets, const Row& a, const Row& b) {
  if (!buckets.classes.share(a.id, b.id)) return false;
  for (uint32_t table = 0; table < buckets.tables.params().tables; ++table) {
    const uint64_t without_class = buckets.tables.key(table, a.signature);
    if (without_class != buckets.tables.key(table, b.signature)) continue;
    const uint64_t key = buckets.classes.key(without_class, a.id);
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
  struct alignas(worker_alignment) Scratch {
    BagMatcher matcher;
    LeaderStats stats;
  };

  LshSource(const Problem& problem, const LeaderOptions& options)
      : problem_(problem),
        max_leaders_(options.max_leaders),
        max_pairs_(options.max_pairs),
        max_found_(options.max_found),
        room_(std::min(problem.rows.size(),
                       max_leaders_ + std::min(options.stretch, SIZE_MAX - max_leaders_))),
        tables_(keys_of(problem.buckets)),
        leaders_(problem.buckets.tables.params().lanes, !problem.rows.stay()),
        probe_(problem.buckets, problem.plane_bar) {}

  size_t positions() const { return problem_.rows.size(); }
  uint32_t id(size_t position) const { return problem_.rows.order()[position]; }
  Result<size_t> load(size_t position) { return problem_.rows.load(position); }
  bool is_empty(size_t position) const { return problem_.rows.is_empty(position); }
  bool full() const { return leaders_.size() >= max_leaders_; }

  void answer(std::span<const Inquiry> inquiries, Assign assign,
              std::span<similar::Neighbour> answers, std::span<Scratch> scratch, ThreadPool& pool) {
    positions_.clear();
    for (const Inquiry& inquiry : inquiries) positions_.push_back(inquiry.position);
    probe_.take(problem_.rows, positions_, pool);
    constexpr size_t grain = 64;
    for (size_t first = 0, last = 0; first < inquiries.size(); first = last) {
      last = first + std::min(inquiries.size() - first, askable());
      probe_.ask_leaders(first, last, tables_, leaders_, pool);
      found_a_row_ = static_cast<double>(probe_.found()) / static_cast<double>(last - first);
      pool.for_chunks(last - first, grain, [&](size_t begin, size_t end, unsigned worker) {
        Scratch& mine = scratch[worker];
        for (size_t i = first + begin; i < first + end; ++i) {
          prefetch_answers(i, first + end);
          const uint32_t min_sum = std::max(inquiries[i].min_sum, problem_.min_sum);
          answers[i] = choose(probe_.row(i), probe_.candidates(i), assign, min_sum, mine);
        }
      });
    }
  }

  // The candidates among those that are open are found at once, or in blocks where they are too
  // many; their bags are compared as it is decided who is a leader.
  void start(std::span<const uint32_t> open, ThreadPool& pool) {
    open_ = open;
    is_leader_.assign(probe_.size(), 0);
    made_.clear();
    probe_.keep(open, pool);
    const uint64_t blocks = probe_.pairs_in_parts() / max_pairs_ + 1;
    block_ = std::max<size_t>(min_block, (open.size() + blocks - 1) / blocks);
  }

  similar::Neighbour earliest(size_t i, ThreadPool& pool) {
    if (i % block_ == 0) {
      const size_t last = std::min(i + block_, open_.size()) - 1;
      probe_.ask_among(open_[i], open_[last] + size_t{1}, is_leader_, pool);
    }
    prefetch_earliest(i);
    const Row& row = probe_.row(open_[i]);
    similar::Neighbour first{similar::no_id, 0};
    bool set = false;
    ++stats_.probes;
    for (const ShortKeyId& candidate : probe_.candidates(open_[i])) {
      if (is_leader_[candidate.id] == 0) continue;
      if (!set) matcher_.set(row.bag);
      set = true;
      const Row& leader = probe_.row(candidate.id);
      ++stats_.merges;
      const uint32_t sum = matcher_.sum_of_minima(leader.bag);
      if (sum < problem_.min_sum || !meet(problem_.buckets, row, leader)) continue;
      first = {leader.id, sum};
      break;
    }
    if (set) matcher_.set({});  // the row may leave the memory
    return first;
  }

  void make_leader(size_t i) {
    is_leader_[open_[i]] = 1;
    made_.push_back(open_[i]);
  }

  void insert_leaders(ThreadPool& pool) {
    if (made_.empty()) return;
    reserve();
    probe_.enter(made_, static_cast<uint32_t>(leaders_.size()), tables_, pool);
    leaders_.add(
        made_.size(), [&](size_t i) { return probe_.row(made_[i]); },
        [&](size_t i) { return probe_.plane(made_[i]); }, pool);
  }

  void clear() {
    if (leaders_.size() == 0) return;
    leaders_.clear();
    tables_.clear();
  }

  // Of what was done without a Scratch.
  LeaderStats stats() const {
    LeaderStats all = stats_;
    all.candidates = probe_.compared();
    return all;
  }

 private:
  static constexpr size_t min_block = 256;

  // How many rows may ask the leaders at once, if they find half as many more than the last did.
  size_t askable() const {
    const double rows = static_cast<double>(max_found_) / (1.5 * found_a_row_ + 1);
    return std::max(min_block, static_cast<size_t>(std::min(rows, 1e9)));
  }

  // By table, what the parts in its list are below.
  static std::vector<uint64_t> keys_of(const LshBuckets& buckets) {
    std::vector<uint64_t> keys;
    for (uint32_t table = 0; table < buckets.sharing.size(); ++table) {
      keys.push_back(buckets.short_parts(table));
    }
    return keys;
  }

  // For as many leaders as there may be, in as many tables as the average row.
  void reserve() {
    leaders_.reserve(room_);
    const auto rows = static_cast<double>(std::max<size_t>(problem_.rows.size(), 1));
    const double share = static_cast<double>(room_) / rows;
    for (uint32_t table = 0; table < problem_.buckets.sharing.size(); ++table) {
      const auto sharing = static_cast<double>(problem_.buckets.sharing[table]);
      tables_.reserve(table, static_cast<size_t>(sharing * share));
    }
  }

  // Most rows have a candidate or two, each at a place of its own.
  void prefetch_answers(size_t i, size_t end) const {
    constexpr size_t ahead = 8;
    if (i + 2 * ahead < end) {
      for (const ShortKeyId& found : probe_.candidates(i + 2 * ahead)) {
        leaders_.prefetch_row(found.id);
      }
    }
    if (i + ahead < end && !probe_.candidates(i + ahead).empty()) {
      prefetch(probe_.row(i + ahead).bag);
      for (const ShortKeyId& found : probe_.candidates(i + ahead)) leaders_.prefetch_bag(found.id);
    }
  }

  // The same for those that are decided in order.
  void prefetch_earliest(size_t i) const {
    constexpr size_t ahead = 4;
    if ((i + ahead) / block_ != i / block_ || i + ahead >= open_.size()) return;
    const auto candidates = probe_.candidates(open_[i + ahead]);
    if (!candidates.empty()) prefetch(probe_.row(open_[i + ahead]).bag);
    for (const ShortKeyId& found : candidates) {
      if (is_leader_[found.id] != 0) prefetch(probe_.row(found.id).bag);
    }
  }

  // The first, or the most similar, of the candidates (first inserted first) that is verified.
  similar::Neighbour choose(const Row& row, std::span<const ShortKeyId> candidates, Assign assign,
                            uint32_t min_sum, Scratch& scratch) const {
    similar::Neighbour best{similar::no_id, 0};
    ++scratch.stats.probes;
    if (candidates.empty()) return best;
    scratch.matcher.set(row.bag);
    for (const ShortKeyId& candidate : candidates) {
      const uint32_t sum = verify(row, candidate.id, min_sum, scratch);
      if (sum == 0) continue;
      best = {leaders_[candidate.id].id, sum};
      if (assign == Assign::first) break;
      min_sum = sum + 1;
    }
    scratch.matcher.set({});  // the row may leave the memory
    return best;
  }

  // The sum of minima if it is at least min_sum and the two meet in a table, and not only their
  // short parts; else 0.
  uint32_t verify(const Row& row, uint32_t leader, uint32_t min_sum, Scratch& scratch) const {
    ++scratch.stats.merges;
    const uint32_t sum = scratch.matcher.sum_of_minima(leaders_[leader].bag);
    return sum >= min_sum && meet(problem_.buckets, row, leaders_[leader]) ? sum : 0;
  }

  const Problem& problem_;
  const size_t max_leaders_;
  const uint64_t max_pairs_;
  const uint64_t max_found_;
  const size_t room_;  // for leaders
  LeaderTables tables_;
  LeaderRows leaders_;  // in scan order
  BatchProbe probe_;    // of the last inquiries
  std::vector<size_t> positions_;
  // Those of them that are decided in order.
  std::span<const uint32_t> open_;
  size_t block_ = 0;                // of open_, whose candidates are found at once
  double found_a_row_ = 0;          // by those that asked the leaders last
  std::vector<uint8_t> is_leader_;  // by inquiry
  std::vector<uint32_t> made_;      // leaders: inquiries, ascending
  BagMatcher matcher_;
  LeaderStats stats_;
};

// What a candidate must reach on the 8-bit plane (low bytes of the signatures): so many equal
// bytes. A pair with A >= min_sum fails with a probability of at most `miss`, most of it at
// min_sum itself (sketch/signature.h, min_equal()).
uint32_t plane_bar(uint32_t min_sum, uint32_t lanes, double miss) {
  return sketch::min_equal(sketch::similarity_of(min_sum), lanes, 8, miss);
}

}  // namespace

Result<LeaderResult> lsh_leaders(size_t n, OrderedRows& rows, const LshBuckets& buckets,
                                 const LeaderOptions& options, ThreadPool& pool,
                                 const LeaderProgress& progress) {
  const uint32_t lanes = buckets.tables.params().lanes;
  const Problem problem{rows, buckets, plane_bar(options.min_sum, lanes, options.plane_miss),
                        options.min_sum};
  LshSource leaders(problem, options);
  std::vector<LshSource::Scratch> scratch(pool.size());
  LeaderScan scan(leaders, std::span(scratch), pool);

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
  add(leaders.stats());
  return result;
}

}  // namespace kith::cluster
