// The steps of the paper in their order, with its parameters.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "kith/options.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/run.h"
#include "kith/status.h"

#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "cluster/clustering.h"
#include "cluster/plan/similarity_plan.h"
#include "jobs/cluster/cluster_stage.h"
#include "jobs/cluster/run_directory.h"
#include "sketch/bag.h"
#include "storage/file_system.h"

namespace kith::jobs {

// The parameters of the paper, as the plan of a run.

// The plan of a run by the paper, entered into the report.
cluster::SimilarityPlan make_paper_plan(const sketch::BagCollection& bags,
                                        const SimilarityOptions& options, ThreadPool& pool,
                                        Report& report);

// The stages of `kith paper` in a run directory.

// Writes pairs.kith and neighbours.kith; `memory` is what the whole program may take.
Status write_paper_pairs(storage::FileSystem& fs, RunDirectory& run,
                         const sketch::BagCollection& bags, const cluster::SimilarityPlan& plan,
                         const Budget& memory, ThreadPool& pool, const ProgressCallback& progress);

// Writes clusters.kith. Needs of `inputs` all but signatures, degrees and inlinks.
Status write_paper_clusters(RunDirectory& run, const ClusterInputs& inputs, ThreadPool& pool);

// The paper's pipeline, step by step (Haveliwala, Gionis, Indyk 2000; docs/algorithms/paper.md):
// from bags to pairs, neighbours and clusters. It is what the other engines are measured by.
//
//   bags -> signatures -> 125 x (keys -> pairs -> filter) -> sort -> verify
//        -> sort of both directions -> pairs.kith -> CENTER by one scan

// A run under construction.
struct PaperRun {
  storage::FileSystem& fs;
  std::string folder;   // of pairs.kith and neighbours.kith
  std::string scratch;  // for temporary files
  Report& report;       // gets the time of every step
};

// Enters the time since the last step, or since this object was made, into a report.
class StepClock {
 public:
  explicit StepClock(Report& report) : report_(report) {}
  // Seconds since the last call.
  double lap();
  void enter(const char* step, double seconds);

 private:
  Report& report_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Writes pairs.kith and neighbours.kith. Everything that grows with the pairs lies on the disk:
// `memory` is what the whole program may take.
Status write_paper_pairs(const PaperRun& run, const sketch::BagCollection& bags,
                         const cluster::SimilarityPlan& plan, const Budget& memory,
                         ThreadPool& pool, const ProgressCallback& progress);

// CENTER by one scan of pairs.kith. Forgets the steps "center" and "labels" of the report.
Result<cluster::Clustering> paper_clustering(const PaperRun& run, size_t urls,
                                             const cluster::SimilarityPlan& plan, ThreadPool& pool);

// Run::for_each_pair of a run by the paper, from its pairs.kith at `path`.
Status for_each_paper_pair(storage::FileSystem& fs, const std::string& path,
                           const sketch::BagCollection& bags, ThreadPool& pool,
                           const std::function<bool(const SimilarPair&)>& take);

}  // namespace kith::jobs
