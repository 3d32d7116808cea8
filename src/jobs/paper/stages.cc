#include "jobs/paper/stages.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/machine.h"
#include "cluster/clustering.h"
#include "cluster/order.h"
#include "cluster/plan/seeds.h"
#include "jobs/cluster/cluster_stage.h"
#include "jobs/paper/join.h"
#include "run/index_files.h"
#include "run/memory_budget.h"
#include "run/stage_files.h"
#include "similar/duplicates.h"
#include "similar/top_lists.h"
#include "storage/external_sort.h"

namespace kith::jobs {
namespace {

constexpr double paper_similarity = 0.2;

}  // namespace

cluster::SimilarityPlan make_paper_plan(const sketch::BagCollection& bags,
                                        const SimilarityOptions& options, ThreadPool& pool,
                                        Report& report) {
  report.threshold.similarity = options.similarity.value_or(paper_similarity);
  report.threshold.reason = options.similarity == paper_similarity ? "the paper's" : "as asked";
  const sketch::TableParams tables = paper_table_params(0);
  report.engine.engine = EngineChoice::paper;
  report.engine.per_key = tables.per_key;
  report.engine.tables = tables.tables;
  report.engine.promised_recall = sketch::filtered_collision_probability(
      report.threshold.similarity, tables, 8, paper_min_equal);
  report.engine.reason = fmt::format(
      "as asked; {} rounds by {} of {} minima, and {} of {} bytes equal, find {:.1f} % of pairs at "
      "the threshold",
      tables.tables, tables.per_key, tables.lanes, paper_min_equal, tables.lanes,
      100 * report.engine.promised_recall);
  cluster::SimilarityPlan plan = cluster::plan_of(bags, report, pool);
  report.bags.duplicates = plan.groups.duplicates();
  return plan;
}

namespace {

PaperRun paper_run(storage::FileSystem& fs, RunDirectory& run) {
  return {fs, run.path(), run.scratch(), run.report()};
}

}  // namespace

Status write_paper_pairs(storage::FileSystem& fs, RunDirectory& run,
                         const sketch::BagCollection& bags, const cluster::SimilarityPlan& plan,
                         const Budget& memory, ThreadPool& pool, const ProgressCallback& progress) {
  return write_paper_pairs(paper_run(fs, run), bags, plan, memory, pool, progress);
}

Status write_paper_clusters(RunDirectory& run, const ClusterInputs& inputs, ThreadPool& pool) {
  KITH_ASSIGN(
      const cluster::Clustering clustering,
      paper_clustering(paper_run(*inputs.fs, run), inputs.bags->size(), *inputs.plan, pool));
  StepClock clock(run.report());
  KITH_ASSIGN(run.report().clusters,
              write_clustering(run.file(run::clusters_file), clustering, inputs, pool));
  run.report().clusters.order = Order::url;
  clock.enter("labels", clock.lap());
  return Status::ok();
}

namespace {

// The steps of the stage behind the pairs, which may be kept when these are made again.
bool is_of_clusters(const StageReport& step) {
  return step.stage == "center" || step.stage == "labels";
}

// What neighbours.kith says of one URL.
struct NearList {
  std::vector<similar::Neighbour> nearest;
  uint64_t degree = 0;
};

void near_list_of(ResidentLists& pairs, const similar::DuplicateGroups& groups, uint32_t id,
                  size_t top, NearList& out) {
  const uint32_t own = groups.representative[id];
  const std::span<const similar::Neighbour> similar = pairs.of(id, own);
  std::vector<similar::Neighbour> list(similar.begin(), similar.end());
  out.degree = groups.multiplicity[own] - 1;
  for (const similar::Neighbour& entry : list) {
    out.degree += groups.multiplicity[entry.id];
  }
  std::partial_sort(list.begin(), list.begin() + static_cast<ptrdiff_t>(std::min(top, list.size())),
                    list.end(), similar::nearer);
  list.resize(std::min(top, list.size()));
  similar::expand_nearest(list, static_cast<uint32_t>(top), groups, id, out.nearest);
}

Status write_nearest(storage::FileSystem& fs, const std::string& path, const run::Neighbours& pairs,
                     const similar::DuplicateGroups& groups, size_t top, ThreadPool& pool) {
  constexpr size_t batch = 4096;
  KITH_ASSIGN(auto file, run::NeighboursWriter::create(fs, path));
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

// Appends each pair at both of its ids: key = id << 32 | the other, id = the sum of minima.
Status append_both(std::span<const similar::Pair> verified, storage::ExternalSort& both) {
  for (const similar::Pair& pair : verified) {
    KITH_TRY(both.append({uint64_t{pair.a} << 32 | pair.b, pair.sum_of_minima}));
    KITH_TRY(both.append({uint64_t{pair.b} << 32 | pair.a, pair.sum_of_minima}));
  }
  return Status::ok();
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

Status write_paper_pairs(const PaperRun& run, const sketch::BagCollection& bags,
                         const cluster::SimilarityPlan& plan, const Budget& memory,
                         ThreadPool& pool, const ProgressCallback& progress) {
  storage::FileSystem& fs = run.fs;
  const std::string pairs_path = run.folder + "/" + std::string(run::pairs_file);
  const std::string neighbours_path = run.folder + "/" + std::string(run::neighbours_file);
  // The rest: mapped bags.
  const Budget buffers = run::working_memory(memory, bags.size()).share(Share::paper_join);
  const ClusterOptions& options = run.report.options;
  std::vector<StageReport>& steps = run.report.steps;
  std::erase_if(steps, [](const StageReport& step) { return !is_of_clusters(step); });
  StepClock clock(run.report);

  // Section 3.2.
  KITH_ASSIGN(const auto signatures,
              PaperSignatureFile::create(
                  fs, run.scratch + "/signatures", bags, similar::distinct_bags(bags, plan.groups),
                  cluster::seed_for(options, cluster::SeedUse::paper_sketch), pool));
  clock.enter("signatures", clock.lap());

  // Section 3.3.
  PaperJoinReport join;
  const auto show = [&](double share) {
    if (progress) progress({"pairs", share, 1.0, ""});
  };
  KITH_ASSIGN(auto survivors,
              paper_join(fs, signatures,
                         {.scratch = run.scratch + "/pairs",
                          .memory = buffers,
                          .seed = cluster::seed_for(options, cluster::SeedUse::paper_keys)},
                         pool, join, show));
  clock.lap();
  clock.enter("pairs", join.pair_seconds);
  clock.enter("filter", join.filter_seconds);
  clock.enter("repeats", join.sort_seconds);

  storage::ExternalSort both(
      fs, pool,
      {.scratch = run.scratch + "/directions", .memory = buffers.bytes(Share::paper_directions)});
  KITH_TRY(verify_survivors(
      survivors, signatures, bags, plan.min_sum, buffers.bytes(), pool, join,
      [&](std::span<const similar::Pair> verified) { return append_both(verified, both); }));
  clock.enter("verify", clock.lap());
  run.report.pairs = join.counts;

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
                                             const cluster::SimilarityPlan& plan,
                                             ThreadPool& pool) {
  std::erase_if(run.report.steps, is_of_clusters);
  StepClock clock(run.report);
  KITH_ASSIGN(const auto lists,
              open_pair_lists(run.fs, run.folder + "/" + std::string(run::pairs_file), urls));
  // Section 3.4.
  CenterStream center(urls);
  ResidentLists resident(lists);
  for (uint32_t left = 0; left < urls; ++left) {
    for (const similar::Neighbour& right : resident.of(left, left)) {
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
                           const sketch::BagCollection& bags, ThreadPool& pool,
                           const std::function<bool(const SimilarPair&)>& take) {
  KITH_ASSIGN(const auto lists, open_pair_lists(fs, path, bags.size()));
  KITH_TRY(lists.verify());
  const similar::DuplicateGroups groups = similar::find_duplicates(bags, pool);
  ResidentLists resident(lists);
  std::vector<similar::Neighbour> pairs;
  for (uint32_t a = 0; a < bags.size(); ++a) {
    similar::expand_pairs(resident.of(a, groups.representative[a]), groups, a, pairs);
    for (const similar::Neighbour& b : pairs) {
      if (!take({a, b.id, sketch::similarity_of(b.sum_of_minima)})) return Status::ok();
    }
  }
  return Status::ok();
}

}  // namespace kith::jobs
