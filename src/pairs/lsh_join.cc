#include "pairs/lsh_join.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "pairs/candidate_search.h"
#include "pairs/verification.h"

namespace kith::pairs {
namespace {

constexpr uint32_t plane_bits = 8;
constexpr size_t chunk = 1 << 14;

// Above all terms.
uint64_t term_limit(const BagCollection& bags, ThreadPool& pool) {
  std::vector<uint64_t> limits(pool.size());
  pool.for_chunks(bags.size(), chunk, [&](size_t begin, size_t end, unsigned worker) {
    for (size_t id = begin; id < end; ++id) {
      if (bags[id].empty()) continue;
      limits[worker] = std::max(limits[worker], bags[id].back().term + uint64_t{1});
    }
    bags.release(begin, end);
  });
  return *std::ranges::max_element(limits);
}

// One join on its way.
class Join {
 public:
  Join(const BagCollection& bags, const DuplicateGroups& groups, const Signatures& signatures,
       const lsh::Tables& tables, const LshJoinOptions& options, ThreadPool& pool)
      : bags_(bags),
        groups_(groups),
        signatures_(signatures),
        tables_(tables),
        options_(options),
        pool_(pool),
        masks_(tables),
        splits_(tables, options.largest_bucket),
        verification_(bags, groups, options.least_sum, term_limit(bags, pool), pool) {
    result_.degree.assign(bags.size(), 0);
    result_.nearest = TopLists(bags.size(), options.top);
  }

  Status run(const PairRunSink& sink, const JoinProgress& progress) {
    const internal::BlockRows rows(signatures_, distinct_bags(bags_, groups_), pool_);
    const internal::CandidateRule rule{least_candidate_count(options_, rows.lanes()), 0};
    internal::CandidateSearch search(rows, tables_, masks_, splits_, false, rule, most_candidates,
                                     pool_);
    const auto verify = [&](std::vector<std::vector<ShortKeyId>>& candidates) {
      return verification_.verify(candidates, {result_.degree, &result_.nearest, &result_.nearest},
                                  sink);
    };
    KITH_TRY(search.run(verify, progress));
    const internal::SearchStats& found = search.stats();
    result_.stats = {found.collisions,        found.passed,        verification_.verified(),
                     verification_.similar(), found.split_buckets, found.split_members,
                     found.largest_split};
    pool_.for_chunks(rows.size(), chunk, [&](size_t begin, size_t end, unsigned) {
      for (size_t row = begin; row < end; ++row) result_.nearest.sort(rows.id(row));
    });
    return Status::ok();
  }

  LshJoinResult result() && {
    for (uint32_t id = 0; id < bags_.size(); ++id) {
      if (bags_[id].empty() || options_.least_sum == 0) continue;
      const uint32_t own = groups_.representative[id];
      if (own == id) result_.degree[id] += groups_.multiplicity[id] - 1;
      result_.degree[id] = result_.degree[own];
    }
    return std::move(result_);
  }

 private:
  static constexpr size_t most_candidates = size_t{1} << 24;

  const BagCollection& bags_;
  const DuplicateGroups& groups_;
  const Signatures& signatures_;
  const lsh::Tables& tables_;
  const LshJoinOptions& options_;
  ThreadPool& pool_;
  const lsh::SubsetMasks masks_;
  internal::BucketSplits splits_;
  internal::Verification verification_;
  LshJoinResult result_;
};

}  // namespace

uint32_t least_candidate_count(const LshJoinOptions& options, uint32_t lanes) {
  constexpr uint32_t never = UINT32_MAX;
  const double floor = similarity_of(options.least_sum);
  const uint32_t similar =
      options.least_sum == 0 ? never : least_equal(floor, lanes, plane_bits, options.plane_miss);
  const uint32_t near = options.top == 0 ? never
                                         : least_equal(options.near_share * floor, lanes,
                                                       plane_bits, options.near_miss);
  return std::min(similar, near);
}

Result<LshJoinResult> lsh_join(const BagCollection& bags, const DuplicateGroups& groups,
                               const Signatures& signatures, const lsh::Tables& tables,
                               const LshJoinOptions& options, ThreadPool& pool,
                               const PairRunSink& sink, const JoinProgress& progress) {
  KITH_CHECK(groups.size() == bags.size());
  KITH_CHECK(bags.size() == 0 || signatures.size() == bags.size());
  KITH_CHECK(options.largest_bucket >= 2);
  Join join(bags, groups, signatures, tables, options, pool);
  KITH_TRY(join.run(sink, progress));
  return std::move(join).result();
}

}  // namespace kith::pairs
