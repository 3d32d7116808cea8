// The stages of `kith paper` in a run directory.
#pragma once

#include <cstdint>

#include "kith/progress.h"
#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "cluster/plan/similarity_plan.h"
#include "jobs/cluster/cluster_stage.h"
#include "jobs/cluster/run_directory.h"
#include "sketch/bag.h"
#include "storage/file_system.h"

namespace kith::jobs {

// Writes pairs.kith and neighbours.kith; `memory` is what the whole program may take.
Status write_paper_pairs(storage::FileSystem& fs, RunDirectory& run,
                         const sketch::BagCollection& bags, const cluster::SimilarityPlan& plan,
                         uint64_t memory, ThreadPool& pool, const ProgressCallback& progress);

// Writes clusters.kith. Needs of `inputs` all but signatures, degrees and inlinks.
Status write_paper_clusters(RunDirectory& run, const ClusterInputs& inputs, ThreadPool& pool);

}  // namespace kith::jobs
