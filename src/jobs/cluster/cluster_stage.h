// The cluster stage: order, CENTER by the leader index, labels, and the clusters file.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kith/options.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/status.h"

#include "bags/tables.h"
#include "base/parallel/thread_pool.h"
#include "cluster/plan/similarity_plan.h"
#include "jobs/cluster/signature_stage.h"
#include "run/neighbours.h"
#include "sketch/bag.h"
#include "storage/file_system.h"

namespace kith::jobs {

struct ClusterInputs {
  const sketch::BagCollection* bags = nullptr;
  const cluster::SimilarityPlan* plan = nullptr;
  const SignatureTable* signatures = nullptr;  // may be null when needs_signatures() is false
  const bags::UrlTable* urls = nullptr;
  const run::Neighbours* neighbours = nullptr;  // null unless needs_pairs()
  uint32_t terms = 0;                           // term ids are below this
  uint64_t memory = 0;                          // bytes that the whole program may take
  storage::FileSystem* fs = nullptr;
  std::string scratch;  // a folder for temporary files, which exists
};

// An error of kind usage when the memory is too small for the tables of the plan. Needs no
// signatures.
Status check_table_memory(const ClusterInputs& inputs);

Result<ClusterCounts> write_clusters(const std::string& path, const ClusterInputs& inputs,
                                     const ClusterOptions& options, ThreadPool& pool,
                                     const ProgressCallback& progress);

}  // namespace kith::jobs
