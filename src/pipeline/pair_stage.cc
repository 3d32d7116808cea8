#include "pipeline/pair_stage.h"

#include <algorithm>

#include "index/neighbours.h"

namespace kith::pipeline {
namespace {

// What both engines answer.
struct Joined {
  std::vector<uint32_t> degree;
  pairs::TopLists nearest;
};

Result<Joined> join(const BagCollection& bags, const SimilarityPlan& plan,
                    const SignatureTable* signatures, uint32_t top, ThreadPool& pool,
                    const pairs::JoinProgress& progress) {
  if (plan.engine == EngineChoice::exact) {
    pairs::ExactJoinOptions options;
    options.least_sum = plan.least_sum;
    options.top = top;
    KITH_ASSIGN(auto result,
                pairs::exact_join(bags, plan.groups, options, pool, nullptr, progress));
    std::vector<uint32_t> degree;
    degree.reserve(bags.size());
    for (const uint64_t count : result.degree) {
      degree.push_back(static_cast<uint32_t>(std::min<uint64_t>(count, UINT32_MAX)));
    }
    return Joined{std::move(degree), std::move(result.nearest)};
  }
  pairs::LshJoinOptions options;
  options.least_sum = plan.least_sum;
  options.top = top;
  KITH_ASSIGN(auto result,
              pairs::lsh_join(bags, plan.groups, signatures->signatures(), lsh::Tables(plan.tables),
                              options, pool, nullptr, progress));
  return Joined{std::move(result.degree), std::move(result.nearest)};
}

}  // namespace

Status write_neighbours(storage::FileSystem& fs, const std::string& path, const BagCollection& bags,
                        const SimilarityPlan& plan, const SignatureTable* signatures,
                        uint32_t neighbours, ThreadPool& pool, const ProgressCallback& progress) {
  KITH_ASSIGN(const Joined joined,
              join(bags, plan, signatures, neighbours, pool, [&](double share) {
                if (progress) progress({"pairs", share, 1.0, ""});
              }));
  KITH_ASSIGN(auto file, index::NeighboursWriter::create(fs, path));
  std::vector<pairs::Neighbour> nearest;
  std::vector<index::Neighbour> list;
  for (uint32_t id = 0; id < bags.size(); ++id) {
    pairs::expand_nearest(joined.nearest[plan.groups.representative[id]], neighbours, plan.groups,
                          id, nearest);
    list.clear();
    for (const pairs::Neighbour& entry : nearest) list.push_back({entry.id, entry.sum_of_minima});
    KITH_TRY(file.add(list, joined.degree[id]));
  }
  return file.finish();
}

Status join_all(const BagCollection& bags, const SimilarityPlan& plan,
                const SignatureTable* signatures, ThreadPool& pool, const pairs::PairSink& sink) {
  if (plan.engine == EngineChoice::exact) {
    pairs::ExactJoinOptions options;
    options.least_sum = plan.least_sum;
    options.top = 0;
    return pairs::exact_join(bags, plan.groups, options, pool, sink).status();
  }
  pairs::LshJoinOptions options;
  options.least_sum = plan.least_sum;
  options.top = 0;
  std::vector<pairs::Pair> found;
  const auto collect = [&](std::span<const pairs::Pair> sorted) {
    found.insert(found.end(), sorted.begin(), sorted.end());
    return Status::ok();
  };
  KITH_TRY(pairs::lsh_join(bags, plan.groups, signatures->signatures(), lsh::Tables(plan.tables),
                           options, pool, collect));
  return pairs::expand_pairs(found, plan.groups, pool, sink);
}

}  // namespace kith::pipeline
