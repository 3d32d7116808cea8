#include "pipeline/paper_run.h"

#include "paper/stages.h"
#include "pipeline/cluster_file.h"
#include "run/stage_files.h"

namespace kith::pipeline {
namespace {

PaperRun paper_run(storage::FileSystem& fs, RunDirectory& run) {
  return {fs, run.path(), run.scratch(), run.report()};
}

}  // namespace

Status write_paper_pairs(storage::FileSystem& fs, RunDirectory& run, const BagCollection& bags,
                         const SimilarityPlan& plan, uint64_t memory, ThreadPool& pool,
                         const ProgressCallback& progress) {
  return write_paper_pairs(paper_run(fs, run), bags, plan, memory, pool, progress);
}

Status write_paper_clusters(RunDirectory& run, const ClusterInputs& inputs, ThreadPool& pool) {
  KITH_ASSIGN(
      const cluster::Clustering clustering,
      paper_clustering(paper_run(*inputs.fs, run), inputs.bags->size(), *inputs.plan, pool));
  StepClock clock(run.report());
  KITH_ASSIGN(run.report().clusters,
              write_clustering(run.file(clusters_file), clustering, inputs, pool));
  run.report().clusters.order = Order::url;
  clock.enter("labels", clock.lap());
  return Status::ok();
}

}  // namespace kith::pipeline
