#include "answers/all_pairs.h"

#include <algorithm>

#include "base/budget.h"
#include "cluster/plan/similarity_plan.h"
#include "jobs/cluster/pair_stage.h"
#include "run/memory_budget.h"
#include "similar/duplicates.h"
#include "similar/exact/exact_blocks.h"
#include "similar/exact/exact_join.h"
#include "similar/tables/lsh_join.h"

namespace kith::answers {
namespace {

// Finds pairs of distinct bags and gives them to the sink, within so many bytes.
using Join = std::function<Status(const Budget& memory, const similar::PairRunSink& sink)>;

// Sorts what `join` finds, and gives it to the sink with the duplicates.
Status sort_pairs(const similar::DuplicateGroups& groups, const jobs::PairResources& resources,
                  const Budget& memory, const Join& join, const similar::PairSink& sink) {
  // Both work at a time: pairs are sorted as they are found.
  similar::PairExpander expander(
      groups, resources.fs, resources.pool,
      {.scratch = resources.scratch + "/pairs", .memory = memory.bytes(Share::pair_sorting)});
  KITH_TRY(join(memory.share(Share::pair_join),
                [&](std::span<const similar::Pair> found) { return expander.append(found); }));
  return expander.finish(sink);
}

Status exact_pairs(const sketch::BagCollection& bags, const cluster::SimilarityPlan& plan,
                   const jobs::PairResources& resources, const Budget& memory,
                   const similar::PairSink& sink) {
  // Of every thread, or there is little to be gained from looking up many ids at once.
  constexpr uint64_t min_lists = 16;
  const uint64_t index = similar::exact_join_bytes(bags, resources.pool.size());
  const uint64_t lists =
      min_lists * resources.pool.size() * bags.size() * 2 * sizeof(similar::Neighbour);
  if (index + lists <= memory.bytes()) {
    const similar::ExactJoinOptions options{
        .min_sum = plan.min_sum,
        .top = 0,
        .memory = memory.without(Share::bag_index, index).bytes()};
    return similar::exact_join(bags, plan.groups, options, resources.pool, sink).status();
  }
  KITH_TRY(memory.share(Share::pair_join)
               .check(similar::min_exact_block_memory(bags, plan.groups),
                      run::counted(bags.size(), "URLs")));
  const auto join = [&](const Budget& share, const similar::PairRunSink& found) {
    return similar::exact_join_in_blocks(
        bags, plan.groups, {.min_sum = plan.min_sum, .memory = share}, resources.pool, found);
  };
  return sort_pairs(plan.groups, resources, memory, join, sink);
}

Status pairs_by_tables(const sketch::BagCollection& bags, const cluster::SimilarityPlan& plan,
                       const jobs::SignatureTable& signatures, const jobs::PairResources& resources,
                       const Budget& memory, const similar::PairSink& sink) {
  KITH_TRY(memory.share(Share::pair_join)
               .check(similar::min_lsh_join_memory(bags, plan.tables.lanes, 0),
                      run::counted(bags.size(), "URLs")));
  const auto join = [&](const Budget& share, const similar::PairRunSink& found) {
    similar::LshJoinOptions options;
    options.min_sum = plan.min_sum;
    options.top = 0;
    options.memory = share;
    options.fs = &resources.fs;
    options.scratch = resources.scratch;
    Status status = similar::lsh_join(bags, plan.groups, signatures.signatures(),
                                      sketch::Tables(plan.tables), options, resources.pool, found)
                        .status();
    bags.release(0, bags.size());
    signatures.signatures().release(0, bags.size());
    return status;
  };
  return sort_pairs(plan.groups, resources, memory, join, sink);
}

}  // namespace

Status for_each_pair(const sketch::BagCollection& bags, const Report& report,
                     const std::string& signatures_path, const jobs::PairResources& resources,
                     const std::function<bool(const SimilarPair&)>& take) {
  const cluster::SimilarityPlan plan = cluster::plan_of(bags, report, resources.pool);
  const Budget memory = run::working_memory(resources.memory, bags.size());
  bool stopped = false;
  const auto sink = [&](uint32_t a, std::span<const similar::Neighbour> bs) -> Status {
    for (const similar::Neighbour& b : bs) {
      if (take({a, b.id, sketch::similarity_of(b.sum_of_minima)})) continue;
      stopped = true;
      return Error{ErrorKind::usage, "stopped by the caller"};
    }
    return Status::ok();
  };
  const auto join = [&]() -> Status {
    if (plan.engine == EngineChoice::exact) {
      return exact_pairs(bags, plan, resources, memory, sink);
    }
    KITH_ASSIGN(const auto signatures,
                jobs::SignatureTable::open(resources.fs, signatures_path, report.options.lanes,
                                           bags.size()));
    KITH_TRY(signatures.verify());
    return pairs_by_tables(bags, plan, signatures, resources, memory, sink);
  };
  const Status status = join();
  return stopped ? Status::ok() : status;
}

}  // namespace kith::answers
