#include "pipeline/pair_stage.h"

#include <algorithm>

#include "index/neighbours.h"
#include "pipeline/memory_budget.h"

namespace kith::pipeline {
namespace {

// What both engines answer.
struct Joined {
  std::vector<uint32_t> degree;
  pairs::NearestLists nearest;
  PairCounts counts;
};

Result<Joined> join_exactly(const BagCollection& bags, const SimilarityPlan& plan, uint32_t top,
                            ThreadPool& pool, const pairs::JoinProgress& progress) {
  pairs::ExactJoinOptions options;
  options.least_sum = plan.least_sum;
  options.top = top;
  KITH_ASSIGN(auto result, pairs::exact_join(bags, plan.groups, options, pool, nullptr, progress));
  Joined joined;
  joined.degree.reserve(bags.size());
  for (const uint64_t count : result.degree) {
    joined.degree.push_back(static_cast<uint32_t>(std::min<uint64_t>(count, UINT32_MAX)));
  }
  std::vector<pairs::TopLists> lists;
  lists.push_back(std::move(result.nearest));
  joined.nearest = {std::move(lists), std::max<size_t>(bags.size(), 1)};
  return joined;
}

Result<Joined> join_by_tables(const BagCollection& bags, const SimilarityPlan& plan,
                              const SignatureTable& signatures, uint32_t top,
                              const PairResources& resources, const pairs::JoinProgress& progress) {
  pairs::LshJoinOptions options;
  options.least_sum = plan.least_sum;
  options.top = top;
  options.memory = resources.memory == 0 ? 0 : working_memory(resources.memory, bags.size());
  options.fs = &resources.fs;
  options.scratch = resources.scratch;
  KITH_ASSIGN(auto result,
              pairs::lsh_join(bags, plan.groups, signatures.signatures(), lsh::Tables(plan.tables),
                              options, resources.pool, nullptr, progress));
  const pairs::LshJoinStats& stats = result.stats;
  PairCounts counts;
  counts.collisions = stats.collisions;
  counts.passed = stats.passed;
  counts.candidates = stats.candidates;
  counts.similar = stats.similar;
  counts.split_buckets = stats.splits.buckets;
  counts.split_members = stats.splits.members;
  counts.largest_split = stats.splits.largest;
  counts.blocks = stats.blocks;
  return Joined{std::move(result.degree), std::move(result.nearest), counts};
}

}  // namespace

Result<PairCounts> write_neighbours(const std::string& path, const BagCollection& bags,
                                    const SimilarityPlan& plan, const SignatureTable* signatures,
                                    uint32_t neighbours, const PairResources& resources,
                                    const ProgressCallback& progress) {
  const auto show = [&](double share) {
    if (progress) progress({"pairs", share, 1.0, ""});
  };
  bags.release(0, bags.size());
  KITH_ASSIGN(const Joined joined,
              plan.engine == EngineChoice::exact
                  ? join_exactly(bags, plan, neighbours, resources.pool, show)
                  : join_by_tables(bags, plan, *signatures, neighbours, resources, show));
  KITH_ASSIGN(auto file, index::NeighboursWriter::create(resources.fs, path));
  std::vector<pairs::Neighbour> nearest;
  std::vector<index::Neighbour> list;
  for (uint32_t id = 0; id < bags.size(); ++id) {
    pairs::expand_nearest(joined.nearest[plan.groups.representative[id]], neighbours, plan.groups,
                          id, nearest);
    list.clear();
    for (const pairs::Neighbour& entry : nearest) list.push_back({entry.id, entry.sum_of_minima});
    KITH_TRY(file.add(list, joined.degree[id]));
    constexpr uint32_t stretch = 1 << 18;
    if (id % stretch == stretch - 1) joined.nearest.release();
  }
  KITH_TRY(file.finish());
  return joined.counts;
}

}  // namespace kith::pipeline
