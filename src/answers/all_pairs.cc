#include "answers/all_pairs.h"

#include <span>

#include "base/budget.h"
#include "cluster/plan/similarity_plan.h"
#include "jobs/cluster/pair_stage.h"
#include "run/memory_budget.h"
#include "similar/duplicates.h"
#include "similar/exact/exact_pairs.h"
#include "similar/tables/lsh_join.h"

namespace kith::answers {
namespace {

Status pairs_by_tables(const sketch::BagCollection& bags, const cluster::SimilarityPlan& plan,
                       const jobs::SignatureTable& signatures, const jobs::PairResources& resources,
                       const Budget& memory, const similar::PairSink& sink) {
  KITH_TRY(memory.share(Share::pair_join)
               .check(similar::min_lsh_join_memory(bags, plan.tables.lanes, 0),
                      run::counted(bags.size(), "URLs")));
  // Both work at a time: pairs are sorted as they are found.
  similar::PairExpander expander(
      plan.groups, resources.fs, resources.pool,
      {.scratch = resources.scratch + "/pairs", .memory = memory.bytes(Share::pair_sorting)});
  similar::LshJoinOptions options;
  options.min_sum = plan.min_sum;
  options.top = 0;
  options.memory = memory.share(Share::pair_join);
  options.fs = &resources.fs;
  options.scratch = resources.scratch;
  KITH_TRY(similar::lsh_join(
               bags, plan.groups, signatures.signatures(), sketch::Tables(plan.tables), options,
               resources.pool,
               [&](std::span<const similar::Pair> found) { return expander.append(found); })
               .status());
  bags.release(0, bags.size());
  signatures.signatures().release(0, bags.size());
  return expander.finish(sink);
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
      return similar::exact_pairs(bags, plan.groups,
                                  {.min_sum = plan.min_sum,
                                   .memory = memory,
                                   .fs = &resources.fs,
                                   .scratch = resources.scratch},
                                  resources.pool, sink);
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
