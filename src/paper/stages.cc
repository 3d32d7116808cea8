#include "paper/stages.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/machine.h"
#include "cluster/groups.h"
#include "cluster/order.h"
#include "index/neighbours.h"
#include "pairs/duplicates.h"
#include "pairs/top_lists.h"
#include "paper/center_stream.h"
#include "paper/join.h"
#include "paper/lists.h"
#include "plan/seeds.h"
#include "run/memory_budget.h"
#include "run/stage_files.h"
#include "storage/external_sort.h"

namespace kith::pipeline {
namespace {

// The steps of the stage behind the pairs, which may be kept when these are made again.
bool is_of_clusters(const StageReport& step) {
  return step.stage == "center" || step.stage == "labels";
}

// What neighbours.kith says of one URL.
struct NearList {
  std::vector<pairs::Neighbour> nearest;
  uint64_t degree = 0;
};

void near_list_of(ResidentLists& pairs, const pairs::DuplicateGroups& groups, uint32_t id,
                  size_t top, NearList& out) {
  const uint32_t own = groups.representative[id];
  const std::span<const pairs::Neighbour> similar = pairs.of(id, own);
  std::vector<pairs::Neighbour> list(similar.begin(), similar.end());
  out.degree = groups.multiplicity[own] - 1;
  for (const pairs::Neighbour& entry : list) {
    out.degree += groups.multiplicity[entry.id];
  }
  std::partial_sort(list.begin(), list.begin() + static_cast<ptrdiff_t>(std::min(top, list.size())),
                    list.end(), pairs::nearer);
  list.resize(std::min(top, list.size()));
  pairs::expand_nearest(list, static_cast<uint32_t>(top), groups, id, out.nearest);
}

Status write_nearest(storage::FileSystem& fs, const std::string& path,
                     const index::Neighbours& pairs, const pairs::DuplicateGroups& groups,
                     size_t top, ThreadPool& pool) {
  constexpr size_t batch = 4096;
  KITH_ASSIGN(auto file, index::NeighboursWriter::create(fs, path));
  std::vector<NearList> lists(batch);
  ResidentLists resident(pairs);
  for (size_t first = 0; first < groups.size(); first += batch) {
    const size_t count = std::min(batch, groups.size() - first);
    pool.for_chunks(count, 64, [&](size_t begin, size_t end, unsigned) {
      for (size_t i = begin; i < end; ++i) {
        const auto id = static_cast<uint32_t>(first + i);
        near_list_of(resident, groups, id, top, lists[i]);
      }
    });
    for (size_t i = 0; i < count; ++i) {
      const uint64_t degree = std::min<uint64_t>(lists[i].degree, UINT32_MAX);
      KITH_TRY(file.add(lists[i].nearest, static_cast<uint32_t>(degree)));
    }
  }
  return file.finish();
}

PairCounts counts_of(const pairs::PaperJoinReport& join) {
  PairCounts counts;
  counts.collisions = join.candidates;
  counts.passed = join.survivors;
  counts.candidates = join.compared;
  counts.similar = join.similar;
  counts.split_buckets = join.splits.buckets;
  counts.split_members = join.splits.members;
  counts.largest_split = join.splits.largest;
  counts.blocks = join.blocks;
  return counts;
}

}  // namespace

double StepClock::lap() {
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::duration<double> time = now - std::exchange(last_, now);
  return time.count();
}

void StepClock::enter(const char* step, double seconds) {
  report_.steps.push_back({step, seconds, peak_memory(), false});
}

Status write_paper_pairs(const PaperRun& run, const BagCollection& bags, const SimilarityPlan& plan,
                         uint64_t memory, ThreadPool& pool, const ProgressCallback& progress) {
  storage::FileSystem& fs = run.fs;
  const std::string pairs_path = run.folder + "/" + std::string(pairs_file);
  const std::string neighbours_path = run.folder + "/" + std::string(neighbours_file);
  const uint64_t buffers = working_memory(memory, bags.size()) / 2;  // the rest: mapped bags
  const ClusterOptions& options = run.report.options;
  std::vector<StageReport>& steps = run.report.steps;
  std::erase_if(steps, [](const StageReport& step) { return !is_of_clusters(step); });
  StepClock clock(run.report);

  // Section 3.2.
  KITH_ASSIGN(const auto signatures,
              pairs::PaperSignatureFile::create(fs, run.scratch + "/signatures", bags,
                                                pairs::distinct_bags(bags, plan.groups),
                                                seed_for(options, SeedUse::paper_sketch), pool));
  clock.enter("signatures", clock.lap());

  // Section 3.3.
  pairs::PaperJoinReport join;
  const auto show = [&](double share) {
    if (progress) progress({"pairs", share, 1.0, ""});
  };
  KITH_ASSIGN(auto survivors, pairs::paper_join(fs, signatures,
                                                {.scratch = run.scratch + "/pairs",
                                                 .memory = buffers,
                                                 .seed = seed_for(options, SeedUse::paper_keys)},
                                                pool, join, show));
  clock.lap();
  clock.enter("pairs", join.pair_seconds);
  clock.enter("filter", join.filter_seconds);
  clock.enter("repeats", join.sort_seconds);

  storage::ExternalSort both(fs, pool,
                             {.scratch = run.scratch + "/directions", .memory = buffers / 2});
  const auto append_both = [&](std::span<const pairs::Pair> verified) -> Status {
    for (const pairs::Pair& pair : verified) {
      KITH_TRY(both.append({uint64_t{pair.a} << 32 | pair.b, pair.sum_of_minima}));
      KITH_TRY(both.append({uint64_t{pair.b} << 32 | pair.a, pair.sum_of_minima}));
    }
    return Status::ok();
  };
  KITH_TRY(pairs::verify_survivors(survivors, signatures, bags, plan.min_sum, buffers, pool, join,
                                   append_both));
  clock.enter("verify", clock.lap());
  run.report.pairs = counts_of(join);

  KITH_ASSIGN(auto directions, both.finish());
  KITH_TRY(write_pair_lists(fs, pairs_path, bags.size(), directions));
  clock.enter("sort", clock.lap());

  KITH_ASSIGN(const auto lists, open_pair_lists(fs, pairs_path, bags.size()));
  KITH_TRY(write_nearest(fs, neighbours_path, lists, plan.groups, options.neighbours, pool));
  clock.enter("neighbours", clock.lap());
  std::stable_partition(steps.begin(), steps.end(), std::not_fn(is_of_clusters));
  return Status::ok();
}

Result<cluster::Clustering> paper_clustering(const PaperRun& run, size_t urls,
                                             const SimilarityPlan& plan, ThreadPool& pool) {
  std::erase_if(run.report.steps, is_of_clusters);
  StepClock clock(run.report);
  KITH_ASSIGN(const auto lists,
              open_pair_lists(run.fs, run.folder + "/" + std::string(pairs_file), urls));
  // Section 3.4.
  cluster::CenterStream center(urls);
  ResidentLists resident(lists);
  for (uint32_t left = 0; left < urls; ++left) {
    for (const index::Neighbour& right : resident.of(left, left)) {
      center.scan(left, right.id, right.sum_of_minima);
    }
  }
  lists.release();
  const std::vector<uint32_t> order = cluster::order_by_id(urls);
  const auto& representative = plan.groups.representative;
  cluster::Clustering clustering = cluster::expand_groups(
      center.finish(cluster::collapse_order(order, representative)), order, representative, pool);
  clock.enter("center", clock.lap());
  return clustering;
}

Status for_each_paper_pair(storage::FileSystem& fs, const std::string& path,
                           const BagCollection& bags, ThreadPool& pool,
                           const std::function<bool(const SimilarPair&)>& take) {
  KITH_ASSIGN(const auto lists, open_pair_lists(fs, path, bags.size()));
  KITH_TRY(lists.verify());
  const pairs::DuplicateGroups groups = pairs::find_duplicates(bags, pool);
  ResidentLists resident(lists);
  std::vector<pairs::Neighbour> similar;
  std::vector<pairs::Neighbour> list;
  for (uint32_t a = 0; a < bags.size(); ++a) {
    similar.assign(1, {groups.representative[a], bag_total});
    const std::span<const pairs::Neighbour> found = resident.of(a, groups.representative[a]);
    similar.insert(similar.end(), found.begin(), found.end());
    list.clear();
    pairs::expand_similar(similar, groups, a, list);
    std::ranges::sort(list, {}, &pairs::Neighbour::id);
    for (const pairs::Neighbour& b : list) {
      if (!take({a, b.id, similarity_of(b.sum_of_minima)})) return Status::ok();
    }
  }
  return Status::ok();
}

}  // namespace kith::pipeline
