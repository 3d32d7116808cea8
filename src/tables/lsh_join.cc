#include "tables/lsh_join.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "base/check.h"
#include "pairs/query_weights.h"
#include "pairs/too_little_memory.h"
#include "tables/bucket_bounds.h"
#include "tables/candidate_search.h"
#include "tables/signature_rows.h"
#include "tables/verification.h"

namespace kith::pairs {
namespace {

constexpr uint32_t plane_bits = 8;
constexpr size_t chunk = 1 << 14;

// Above all terms.
uint64_t term_limit(const BagCollection& bags, ThreadPool& pool) {
  std::vector<uint64_t> limits(pool.size());
  std::vector<BagBuffer> buffers(pool.size());
  const size_t stretch = bags.bags_in(1 << 20);
  pool.for_chunks(bags.size(), stretch, [&](size_t begin, size_t end, unsigned worker) {
    const BagBlock block = bags.block(begin, end, buffers[worker]);
    uint64_t limit = limits[worker];
    for (size_t id = begin; id < end; ++id) {
      if (!block[id].empty()) limit = std::max(limit, block[id].back().term + uint64_t{1});
    }
    limits[worker] = limit;
  });
  return *std::ranges::max_element(limits);
}

// How the ids are cut to fit the memory.
struct Blocks {
  size_t count = 1;
  size_t ids = 1;               // in each but the last
  size_t candidates = 1 << 24;  // held at a time
};

// Tables of weights take an eighth of the memory at the most; else bags are merged.
uint64_t tabled_terms(uint64_t terms, const LshJoinOptions& options, unsigned threads) {
  const uint64_t tables = threads * internal::QueryWeights::bytes(terms);
  return options.memory == 0 || tables <= options.memory / 8 ? terms : UINT64_MAX;
}

// Of ids, at the least, in a block; there are two in memory at a time.
size_t min_ids(size_t n) {
  constexpr size_t max_blocks = 64;
  return (n + max_blocks - 1) / max_blocks;
}

uint64_t bytes_of_id(const BagCollection& bags, uint32_t lanes, uint32_t top) {
  const uint64_t bag_bytes = bags.entries().size() * sizeof(BagEntry) / bags.size() + 1;
  return internal::CandidateSearch::bytes_per_row(lanes) + bag_bytes + top * sizeof(Neighbour);
}

constexpr uint64_t bytes_per_candidate = 32;
constexpr size_t min_candidates = 1 << 12;

// Nothing where that makes for more than 64 blocks.
std::optional<Blocks> cut(const BagCollection& bags, const LshJoinOptions& options, uint32_t lanes,
                          uint64_t table_bytes) {
  const uint64_t n = bags.size();
  Blocks blocks;
  blocks.ids = std::max<uint64_t>(n, 1);
  if (options.memory == 0 || n == 0) return blocks;
  const uint64_t id_bytes = bytes_of_id(bags, lanes, options.top);
  // A candidate costs memory as well, but a batch of few costs time: an eighth of it.
  blocks.candidates = std::clamp<uint64_t>(options.memory / 8 / bytes_per_candidate, min_candidates,
                                           blocks.candidates);
  const uint64_t others = blocks.candidates * bytes_per_candidate + table_bytes;
  const uint64_t free = std::max(options.memory, others) - others;
  if (n * id_bytes <= free) return blocks;
  const uint64_t fitting = free / (2 * id_bytes);
  if (fitting < min_ids(n)) return std::nullopt;
  blocks.count = (n + fitting - 1) / fitting;
  blocks.ids = (n + blocks.count - 1) / blocks.count;
  blocks.count = (n + blocks.ids - 1) / blocks.ids;
  return blocks;
}

// One join on its way.
class Join {
 public:
  Join(const BagCollection& bags, const DuplicateGroups& groups, const Signatures& signatures,
       const lsh::Tables& tables, const LshJoinOptions& options, Blocks blocks,
       uint64_t table_terms, bool lists_pairs, ThreadPool& pool)
      : bags_(bags),
        groups_(groups),
        signatures_(signatures),
        tables_(tables),
        options_(options),
        blocks_(blocks),
        pool_(pool),
        ids_(distinct_bags(bags, groups)),
        masks_(tables),
        splits_(tables, options.largest_bucket, pivots_of(options, tables.params().lanes),
                lists_pairs ? WholePartUse::compared : WholePartUse::sampled,
                lists_pairs ? 0 : static_cast<uint32_t>(bags.size())),
        verification_(bags, groups, options.min_sum, table_terms, pool),
        lists_(bags.size(), blocks.ids, options.top, {options.fs, options.scratch}) {
    result_.degree.assign(bags.size(), 0);
  }

  Status run(const PairRunSink& sink, const JoinProgress& progress) {
    const MappedRows rows(signatures_, ids_);
    raise_bounds(rows, tables_, splits_, options_.memory, pool_);
    if (cut_up()) {
      const auto count = [&](uint64_t, auto members) { count_whole_part(rows, members); };
      found_.splits = find_splits(rows, tables_, splits_, options_.memory, pool_, count);
    }
    const double rounds = static_cast<double>(blocks_.count * (blocks_.count + 1)) / 2;
    double round = 0;
    for (size_t i = 0; i < blocks_.count; ++i) {
      KITH_TRY(lists_.open(i));
      for (size_t j = i; j < blocks_.count; ++j) {
        if (j > i) KITH_TRY(lists_.open(j));
        KITH_TRY(join(i, j, sink, [&](double share) {
          if (progress) progress((round + share) / rounds);
        }));
        round += 1;
        if (j > i) KITH_TRY(close(j));
      }
      for_each_id(i, [&](uint32_t id) { lists_[i].sort(id); });
      KITH_TRY(close(i));
    }
    return Status::ok();
  }

  Result<LshJoinResult> result(const DuplicateGroups& groups) && {
    for (uint32_t id = 0; id < bags_.size(); ++id) {
      if (bags_[id].empty() || options_.min_sum == 0) continue;
      const uint32_t own = groups.representative[id];
      if (own == id && !in_whole_part_.empty()) {
        result_.degree[id] = std::max(result_.degree[id], in_whole_part_[id]);
      }
      if (own == id) result_.degree[id] += groups.multiplicity[id] - 1;
      result_.degree[id] = result_.degree[own];
    }
    KITH_ASSIGN(result_.nearest, std::move(lists_).finish());
    result_.stats = {found_.collisions,       found_.passed, verification_.verified(),
                     verification_.similar(), found_.splits, blocks_.count};
    return std::move(result_);
  }

 private:
  // Bags of a large bucket that are similar to each other stay together. Where pairs are listed
  // they are compared; else they are counted, and their nearest are looked for in parts of the
  // bucket.
  static PivotRule pivots_of(const LshJoinOptions& options, uint32_t lanes) {
    if (options.min_sum == 0) return {};
    return close_pivot_rule(similarity_of(options.min_sum), lanes);
  }
  // From any thread.
  void count_whole_part(const SignatureRows& rows, std::span<const uint32_t> members) {
    uint64_t bags = 0;
    for (const uint32_t row : members) bags += groups_.multiplicity[rows.id(row)];
    const std::lock_guard lock(mutex_);
    if (in_whole_part_.empty()) in_whole_part_.resize(bags_.size());
    for (const uint32_t row : members) {
      const uint64_t others = bags - groups_.multiplicity[rows.id(row)];
      uint32_t& most = in_whole_part_[rows.id(row)];
      most = std::max(most, static_cast<uint32_t>(std::min<uint64_t>(others, UINT32_MAX)));
    }
  }

  bool cut_up() const { return blocks_.count > 1; }
  // The ids of a block that are joined.
  std::span<const uint32_t> ids_of(size_t block) const {
    const auto begin = std::ranges::lower_bound(ids_, lists_.first_of(block));
    const auto end = std::ranges::lower_bound(ids_, lists_.first_of(block + 1));
    return {begin, end};
  }

  template <class Visit>
  void for_each_id(size_t block, const Visit& visit) {
    const std::span<const uint32_t> ids = ids_of(block);
    pool_.for_chunks(ids.size(), chunk, [&](size_t begin, size_t end, unsigned) {
      for (size_t i = begin; i < end; ++i) visit(ids[i]);
    });
  }

  Status close(size_t block) {
    if (!cut_up()) return Status::ok();
    bags_.release(lists_.first_of(block), lists_.first_of(block + 1));
    return lists_.close(block);
  }

  // Compares block i with block j >= i.
  Status join(size_t i, size_t j, const PairRunSink& sink, const JoinProgress& progress) {
    const std::span<const uint32_t> left = ids_of(i);
    const std::span<const uint32_t> right = ids_of(j);
    if (left.empty() || right.empty()) return Status::ok();
    const internal::BlockRows rows(signatures_, internal::joined_ids(left, right, j > i), pool_);
    const internal::CandidateRule rule{min_candidate_count(options_, rows.lanes()),
                                       j > i ? static_cast<uint32_t>(left.size()) : 0};
    internal::CandidateSearch search(rows, tables_, masks_, splits_, cut_up(), rule,
                                     blocks_.candidates, pool_);
    const internal::Answers answers{result_.degree, &lists_[i], &lists_[j]};
    if (!cut_up()) {
      search.set_whole([&](uint64_t, auto members) { count_whole_part(rows, members); });
    }
    const auto verify = [&](std::vector<std::vector<ShortKeyId>>& candidates) {
      return verification_.verify(candidates, answers, sink);
    };
    KITH_TRY(search.run(verify, progress));
    found_ += search.stats();
    return Status::ok();
  }

  const BagCollection& bags_;
  const DuplicateGroups& groups_;
  const Signatures& signatures_;
  const lsh::Tables& tables_;
  const LshJoinOptions& options_;
  const Blocks blocks_;
  ThreadPool& pool_;
  const std::vector<uint32_t> ids_;
  const lsh::SubsetMasks masks_;
  BucketSplits splits_;
  internal::Verification verification_;
  internal::SearchStats found_;
  internal::NearestBlocks lists_;
  std::mutex mutex_;                     // of in_whole_part_
  std::vector<uint32_t> in_whole_part_;  // by id: others in its largest whole part, if there is any
  LshJoinResult result_;
};

}  // namespace

uint32_t min_candidate_count(const LshJoinOptions& options, uint32_t lanes) {
  constexpr uint32_t never = UINT32_MAX;
  const double threshold = similarity_of(options.min_sum);
  const uint32_t similar =
      options.min_sum == 0 ? never : min_equal(threshold, lanes, plane_bits, options.plane_miss);
  const uint32_t near = options.top == 0 ? never
                                         : min_equal(options.near_share * threshold, lanes,
                                                     plane_bits, options.near_miss);
  return std::min(similar, near);
}

uint64_t min_lsh_join_memory(const BagCollection& bags, uint32_t lanes, uint32_t top) {
  if (bags.size() == 0) return 0;
  const uint64_t need = 2 * bytes_of_id(bags, lanes, top) * min_ids(bags.size());
  // Candidates have an eighth, or more where that is little.
  return std::max(need / 7 * 8 + 16, need + bytes_per_candidate * min_candidates);
}

Result<LshJoinResult> lsh_join(const BagCollection& bags, const DuplicateGroups& groups,
                               const Signatures& signatures, const lsh::Tables& tables,
                               const LshJoinOptions& options, ThreadPool& pool,
                               const PairRunSink& sink, const JoinProgress& progress) {
  KITH_CHECK(groups.size() == bags.size());
  KITH_CHECK(bags.size() == 0 || signatures.size() == bags.size());
  KITH_CHECK(options.largest_bucket >= 2);
  const uint32_t lanes = tables.params().lanes;
  uint64_t table_terms = tabled_terms(term_limit(bags, pool), options, pool.size());
  std::optional<Blocks> blocks =
      cut(bags, options, lanes, pool.size() * internal::QueryWeights::bytes(table_terms));
  if (!blocks) {
    table_terms = UINT64_MAX;
    blocks = cut(bags, options, lanes, 0);
  }
  if (!blocks) {
    return too_little_memory(options.memory, min_lsh_join_memory(bags, lanes, options.top),
                             bags.size(), "URLs");
  }
  KITH_CHECK(blocks->count == 1 || options.fs != nullptr);
  Join join(bags, groups, signatures, tables, options, *blocks, table_terms, sink != nullptr, pool);
  KITH_TRY(join.run(sink, progress));
  return std::move(join).result(groups);
}

}  // namespace kith::pairs
