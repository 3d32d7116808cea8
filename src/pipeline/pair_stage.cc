#include "pipeline/pair_stage.h"

#include <algorithm>

#include "cluster/order.h"
#include "exact/exact_blocks.h"
#include "index/neighbours.h"
#include "run/memory_budget.h"

namespace kith::pipeline {
namespace {

// What both engines answer.
struct Joined {
  std::vector<uint32_t> degree;
  pairs::NearestLists nearest;
  PairCounts counts;
};

Result<Joined> join_in_blocks(const BagCollection& bags, const SimilarityPlan& plan, uint32_t top,
                              uint64_t memory, const PairResources& resources,
                              const pairs::JoinProgress& progress) {
  KITH_TRY(check_working_memory(resources.memory, bags.size(), "URLs",
                                pairs::min_exact_block_memory(bags, plan.groups)));
  const pairs::ExactBlockOptions options{.min_sum = plan.min_sum, .memory = memory};
  KITH_ASSIGN(auto result,
              pairs::exact_nearest_in_blocks(bags, plan.groups, top, options, resources.fs,
                                             resources.scratch, resources.pool, progress));
  return Joined{std::move(result.degree), std::move(result.nearest), {}};
}

Result<Joined> join_exactly(const BagCollection& bags, const SimilarityPlan& plan, uint32_t top,
                            const PairResources& resources, const pairs::JoinProgress& progress) {
  const uint64_t memory = working_memory(resources.memory, bags.size());
  const uint64_t whole = pairs::exact_join_bytes(bags, resources.pool.size()) +
                         bags.size() * pairs::TopLists::bytes_of_one(top);
  if (resources.memory != 0 && whole > memory)
    return join_in_blocks(bags, plan, top, memory, resources, progress);
  pairs::ExactJoinOptions options;
  options.min_sum = plan.min_sum;
  options.top = top;
  KITH_ASSIGN(auto result,
              pairs::exact_join(bags, plan.groups, options, resources.pool, nullptr, progress));
  Joined joined;
  joined.degree.reserve(bags.size());
  for (const uint64_t count : result.degree) {
    joined.degree.push_back(static_cast<uint32_t>(std::min<uint64_t>(count, UINT32_MAX)));
  }
  joined.nearest = pairs::NearestLists(std::move(result.nearest));
  return joined;
}

Result<Joined> join_by_tables(const BagCollection& bags, const SimilarityPlan& plan,
                              const SignatureTable& signatures, uint32_t top,
                              const PairResources& resources, const pairs::JoinProgress& progress) {
  pairs::LshJoinOptions options;
  options.min_sum = plan.min_sum;
  options.top = top;
  // The tables need not find all neighbours that the lists are to have, so a stricter count of
  // equal bytes does, and pays for the refinement (docs/algorithms/pairs.md). It does not depend on
  // K.
  options.refine = true;
  options.plane_miss = 5e-3;
  options.memory = resources.memory == 0 ? 0 : working_memory(resources.memory, bags.size());
  options.fs = &resources.fs;
  options.scratch = resources.scratch;
  if (resources.memory != 0) {
    KITH_TRY(check_working_memory(resources.memory, bags.size(), "URLs",
                                  pairs::min_lsh_join_memory(bags, plan.tables.lanes, top, true)));
  }
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
  counts.refined_candidates = stats.refined_candidates;
  counts.refined_compared = stats.refined_compared;
  counts.refined_found = stats.refined_found;
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
                  ? join_exactly(bags, plan, neighbours, resources, show)
                  : join_by_tables(bags, plan, *signatures, neighbours, resources, show));
  KITH_ASSIGN(auto file, index::NeighboursWriter::create(resources.fs, path));
  std::vector<pairs::Neighbour> nearest;
  constexpr uint32_t read_bytes = 4 << 20;  // of lists, that stay until they are given back
  const uint32_t stretch = std::max<uint32_t>(
      1, read_bytes / static_cast<uint32_t>(pairs::TopLists::bytes_of_one(neighbours)));
  std::vector<pairs::Neighbour> buffer;
  for (uint32_t id = 0; id < bags.size(); ++id) {
    const uint32_t own = plan.groups.representative[id];
    const auto lists = own == id ? joined.nearest[id] : joined.nearest.read(own, buffer);
    pairs::expand_nearest(lists, neighbours, plan.groups, id, nearest);
    KITH_TRY(file.add(nearest, joined.degree[id]));
    if (id % stretch == stretch - 1) joined.nearest.release();
  }
  KITH_TRY(file.finish());
  return joined.counts;
}

bool needs_pairs(EngineChoice engine, const ClusterOptions& options) {
  return options.neighbours > 0 || engine == EngineChoice::paper ||
         cluster::resolve_order(options.order, engine == EngineChoice::exact) == Order::degree;
}

}  // namespace kith::pipeline
