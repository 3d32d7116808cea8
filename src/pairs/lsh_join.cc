#include "pairs/lsh_join.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "base/check.h"
#include "lsh/buckets.h"
#include "pairs/bucket_split.h"
#include "pairs/query_weights.h"
#include "parallel/radix_sort.h"

namespace kith::pairs {
namespace {

constexpr uint32_t plane_bits = 8;
constexpr uint32_t never = UINT32_MAX;
constexpr size_t chunk = 1024;

// The count of equal bytes that a pair must reach on the plane if its sum is to reach a bar.
class PlaneBar {
 public:
  PlaneBar(uint32_t lanes, double miss) {
    for (size_t i = 0; i <= steps; ++i) {
      least_[i] = least_equal(static_cast<double>(i) / steps, lanes, plane_bits, miss);
    }
  }
  // Rounds the similarity down, so the miss is not more than promised.
  uint32_t operator()(uint32_t sum_of_minima) const {
    return least_[static_cast<size_t>(similarity_of(sum_of_minima) * steps)];
  }

 private:
  static constexpr size_t steps = 512;
  std::array<uint32_t, steps + 1> least_;
};

// One join on its way.
class Join {
 public:
  Join(const BagCollection& bags, const DuplicateGroups& groups, const Signatures& signatures,
       const SignaturePlane& plane, const lsh::Tables& tables, const LshJoinOptions& options,
       ThreadPool& pool, bool with_pairs)
      : bags_(bags),
        groups_(groups),
        signatures_(signatures),
        plane_(plane),
        tables_(tables),
        options_(options),
        pool_(pool),
        with_pairs_(with_pairs),
        ids_(distinct_bags(bags, groups)),
        near_bar_(plane.lanes(), options.near_miss),
        least_count_(options.least_sum == 0
                         ? never
                         : PlaneBar(plane.lanes(), options.plane_miss)(options.least_sum)),
        near_count_(bags.size(), options.top == 0 ? never : 0),
        splitter_(signatures, tables, options.largest_bucket),
        sorted_(ids_.size()),
        scratch_(ids_.size()),
        workers_(pool.size()) {
    for (const uint32_t id : ids_) {
      term_limit_ = std::max(term_limit_, bags[id].back().term + uint64_t{1});
    }
    result_.degree.assign(bags.size(), 0);
    result_.mass.assign(bags.size(), 0);
    result_.nearest = TopLists(bags.size(), options.top);
  }

  Status run(const PairRunSink& sink, const JoinProgress& progress) {
    const uint32_t tables = tables_.params().tables;
    for (uint32_t table = 0; table < tables; ++table) {
      sort_by_key(table);
      if (measure_buckets() > options_.largest_bucket) splitter_.prepare(table);
      // The members of a site stand side by side. Comparing each bag of the first table with the
      // next few alone fills the lists, so that the bars are up before the mass of pairs comes.
      const bool warm_up = table == 0 && options_.top > 0;
      if (warm_up) compare_buckets(table, 1, options_.top);
      compare_buckets(table, warm_up ? options_.top + 1 : 1, SIZE_MAX);
      if (with_pairs_) KITH_TRY(give_pairs(sink));
      if (progress) progress((table + 1.0) / tables);
    }
    return Status::ok();
  }

  LshJoinResult result() && {
    pool_.for_chunks(ids_.size(), chunk, [&](size_t begin, size_t end, unsigned) {
      for (size_t i = begin; i < end; ++i) result_.nearest.sort(ids_[i]);
    });
    for (uint32_t id = 0; id < bags_.size(); ++id) {
      if (bags_[id].empty() || options_.least_sum == 0) continue;
      const uint32_t own = groups_.representative[id];
      if (own == id) result_.degree[id] += groups_.multiplicity[id] - 1;
      result_.degree[id] = result_.degree[own];
    }
    for (const Worker& worker : workers_) add_stats(worker.stats);
    return std::move(result_);
  }

 private:
  struct Worker {
    LshJoinStats stats;
    uint64_t largest = 0;  // bucket of the table at hand
    std::vector<uint32_t> members;
    std::vector<uint32_t> counts;
    std::vector<uint32_t> passed;
    internal::QueryWeights weights;
    std::vector<KeyId> pairs;  // key a << 32 | b, id the sum
  };

  void add_stats(const LshJoinStats& more) {
    LshJoinStats& sum = result_.stats;
    sum.collisions += more.collisions;
    sum.passed += more.passed;
    sum.first += more.first;
    sum.similar += more.similar;
    sum.split_buckets += more.split_buckets;
    sum.split_members += more.split_members;
  }

  void sort_by_key(uint32_t table) {
    pool_.for_chunks(ids_.size(), chunk, [&](size_t begin, size_t end, unsigned) {
      for (size_t i = begin; i < end; ++i) {
        sorted_[i] = {tables_.key(table, signatures_[ids_[i]]), ids_[i]};
      }
    });
    radix_sort(sorted_, scratch_, pool_);
  }

  // Calls visit(bucket, worker) for each bucket, in parallel: a chunk's worker has the buckets
  // that begin in the chunk.
  template <class Visit>
  void for_each_bucket(const Visit& visit) {
    const std::span<const KeyId> sorted = sorted_;
    pool_.for_chunks(sorted.size(), chunk, [&](size_t first, size_t last, unsigned worker) {
      size_t begin = first;
      if (begin > 0 && sorted[begin - 1].key == sorted[begin].key) {
        begin += lsh::first_bucket_size(sorted.subspan(begin));
      }
      while (begin < last) {
        const size_t size = lsh::first_bucket_size(sorted.subspan(begin));
        visit(sorted.subspan(begin, size), workers_[worker]);
        begin += size;
      }
    });
  }

  // Adds up the mass; returns the size of the largest bucket of this table.
  uint64_t measure_buckets() {
    for_each_bucket([&](std::span<const KeyId> bucket, Worker& worker) {
      uint64_t weight = 0;
      for (const KeyId& member : bucket) weight += groups_.multiplicity[member.id];
      for (const KeyId& member : bucket) result_.mass[member.id] += weight - 1;
      LshJoinStats& stats = worker.stats;
      worker.largest = std::max<uint64_t>(worker.largest, bucket.size());
      if (bucket.size() > options_.largest_bucket) {
        ++stats.split_buckets;
        stats.split_members += bucket.size();
      }
    });
    uint64_t largest = 0;
    for (Worker& worker : workers_) largest = std::max(largest, std::exchange(worker.largest, 0));
    result_.stats.largest_bucket = std::max(result_.stats.largest_bucket, largest);
    return largest;
  }

  // Compares the members of all buckets that stand from min_gap to max_gap places apart.
  void compare_buckets(uint32_t table, size_t min_gap, size_t max_gap) {
    if (options_.top > 0) freeze_bars();
    for_each_bucket([&](std::span<const KeyId> bucket, Worker& worker) {
      if (bucket.size() < 2) return;
      std::vector<uint32_t>& members = worker.members;
      members.clear();
      for (const KeyId& member : bucket) members.push_back(member.id);
      const auto compare = [&](std::span<uint32_t> part) {
        compare_members(table, part, min_gap, max_gap, worker);
      };
      if (members.size() > options_.largest_bucket) {
        splitter_.split(table, members, compare);
      } else {
        compare(members);
      }
    });
  }

  // What a pair must reach is fixed while a table is compared, so that the result does not depend
  // on which worker comes first.
  void freeze_bars() {
    pool_.for_chunks(ids_.size(), chunk, [&](size_t begin, size_t end, unsigned) {
      for (size_t i = begin; i < end; ++i) {
        const uint32_t bar = result_.nearest.bar(ids_[i]);
        near_count_[ids_[i]] = bar == 0 ? 0 : near_bar_(bar);
      }
    });
  }

  void compare_members(uint32_t table, std::span<const uint32_t> members, size_t min_gap,
                       size_t max_gap, Worker& worker) {
    for (size_t i = 0; i + min_gap < members.size(); ++i) {
      const size_t first = i + min_gap;
      const auto others =
          members.subspan(first, std::min(members.size() - first, max_gap - min_gap + 1));
      worker.counts.resize(others.size());
      count_equal_at(plane_[members[i]], plane_, others, worker.counts);
      worker.stats.collisions += others.size();
      const uint32_t enough = std::min(least_count_, near_count_[members[i]]);
      worker.passed.clear();
      for (size_t j = 0; j < others.size(); ++j) {
        if (worker.counts[j] < enough && worker.counts[j] < near_count_[others[j]]) continue;
        worker.passed.push_back(others[j]);
      }
      verify(table, members[i], worker);
    }
  }

  // Compares a bag with those in worker.passed which it meets for the first time.
  void verify(uint32_t table, uint32_t id, Worker& worker) {
    worker.stats.passed += worker.passed.size();
    std::erase_if(worker.passed,
                  [&](uint32_t other) { return splitter_.first_meeting(id, other) != table; });
    worker.stats.first += worker.passed.size();
    if (worker.passed.empty()) return;
    // A table of the bag's weights pays from a few comparisons on.
    worker.weights.set(bags_[id], worker.passed.size() < 3 ? UINT64_MAX : term_limit_);
    for (const uint32_t other : worker.passed) {
      const uint32_t sum = worker.weights.sum_with(bags_[other]);
      if (sum > 0) keep(id, other, sum, worker);
    }
    worker.weights.clear();
  }

  void keep(uint32_t a, uint32_t b, uint32_t sum, Worker& worker) {
    const bool similar = options_.least_sum != 0 && sum >= options_.least_sum;
    note(a, b, sum, similar);
    note(b, a, sum, similar);
    if (!similar) return;
    ++worker.stats.similar;
    if (with_pairs_) {
      worker.pairs.push_back({uint64_t{std::min(a, b)} << 32 | std::max(a, b), sum});
    }
  }

  void note(uint32_t id, uint32_t other, uint32_t sum, bool similar) {
    const std::lock_guard lock(locks_[id % locks_.size()]);
    if (similar) result_.degree[id] += groups_.multiplicity[other];
    result_.nearest.offer(id, {other, sum});
  }

  Status give_pairs(const PairRunSink& sink) {
    std::vector<KeyId> found;
    for (Worker& worker : workers_) {
      found.insert(found.end(), worker.pairs.begin(), worker.pairs.end());
      worker.pairs.clear();
    }
    std::vector<KeyId> scratch(found.size());
    radix_sort(found, scratch, pool_);
    std::vector<Pair> pairs(found.size());
    for (size_t i = 0; i < found.size(); ++i) {
      pairs[i] = {static_cast<uint32_t>(found[i].key >> 32), static_cast<uint32_t>(found[i].key),
                  found[i].id};
    }
    return sink(pairs);
  }

  const BagCollection& bags_;
  const DuplicateGroups& groups_;
  const Signatures& signatures_;
  const SignaturePlane& plane_;
  const lsh::Tables& tables_;
  const LshJoinOptions& options_;
  ThreadPool& pool_;
  const bool with_pairs_;
  const std::vector<uint32_t> ids_;
  const PlaneBar near_bar_;
  const uint32_t least_count_;        // on the plane, to be similar
  std::vector<uint32_t> near_count_;  // on the plane, to be among the nearest: by id
  internal::BucketSplitter splitter_;
  uint64_t term_limit_ = 0;  // above all terms
  std::vector<KeyId> sorted_;
  std::vector<KeyId> scratch_;
  std::vector<Worker> workers_;
  std::array<std::mutex, 1024> locks_;  // of the lists and degrees, by id modulo
  LshJoinResult result_;
};

}  // namespace

Result<LshJoinResult> lsh_join(const BagCollection& bags, const DuplicateGroups& groups,
                               const Signatures& signatures, const SignaturePlane& plane,
                               const lsh::Tables& tables, const LshJoinOptions& options,
                               ThreadPool& pool, const PairRunSink& sink,
                               const JoinProgress& progress) {
  KITH_CHECK(groups.size() == bags.size());
  KITH_CHECK(bags.size() == 0 || (signatures.size() == bags.size() && plane.size() == bags.size()));
  KITH_CHECK(options.largest_bucket >= 2);
  Join join(bags, groups, signatures, plane, tables, options, pool, sink != nullptr);
  KITH_TRY(join.run(sink, progress));
  return std::move(join).result();
}

}  // namespace kith::pairs
