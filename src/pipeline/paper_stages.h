// The paper's pipeline, step by step (Haveliwala, Gionis, Indyk 2000; docs/algorithms/paper.md):
// from bags to pairs, neighbours and clusters. It is what the other engines are measured by.
//
//   bags -> signatures -> 125 x (keys -> pairs -> filter) -> sort -> verify
//        -> sort of both directions -> pairs.kith -> CENTER by one scan
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "kith/options.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/run.h"
#include "kith/status.h"

#include "parallel/thread_pool.h"
#include "pipeline/cluster_stage.h"
#include "pipeline/run_directory.h"
#include "pipeline/similarity_plan.h"
#include "sketch/bag.h"
#include "storage/file_system.h"

namespace kith::pipeline {

// The plan of a run by the paper, entered into the report.
SimilarityPlan make_paper_plan(const BagCollection& bags, const ClusterOptions& options,
                               ThreadPool& pool, Report& report);

// Writes pairs.kith and neighbours.kith; the time of every step is added to the run's report.
// Everything that grows with the pairs lies on the disk: `memory` is what
// the whole program may take.
Status write_paper_pairs(storage::FileSystem& fs, RunDirectory& run, const BagCollection& bags,
                         const SimilarityPlan& plan, uint64_t memory, ThreadPool& pool,
                         const ProgressCallback& progress);

// Writes clusters.kith: CENTER by one scan of pairs.kith. Needs of `inputs` all but signatures,
// degrees and inlinks.
Status write_paper_clusters(RunDirectory& run, const ClusterInputs& inputs, ThreadPool& pool);

// Run::for_each_pair of a run by the paper, from its pairs.kith at `path`.
Status for_each_paper_pair(storage::FileSystem& fs, const std::string& path,
                           const BagCollection& bags, ThreadPool& pool,
                           const std::function<bool(const SimilarPair&)>& take);

}  // namespace kith::pipeline
