#include "jobs/paper/paper_run.h"

#include "jobs/cluster/cluster_file.h"
#include "jobs/paper/stages.h"
#include "run/stage_files.h"

namespace kith::jobs {
namespace {

PaperRun paper_run(storage::FileSystem& fs, RunDirectory& run) {
  return {fs, run.path(), run.scratch(), run.report()};
}

}  // namespace

Status write_paper_pairs(storage::FileSystem& fs, RunDirectory& run,
                         const sketch::BagCollection& bags, const cluster::SimilarityPlan& plan,
                         uint64_t memory, ThreadPool& pool, const ProgressCallback& progress) {
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

}  // namespace kith::jobs
