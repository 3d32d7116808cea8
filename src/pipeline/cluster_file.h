// The part of the cluster stage that comes after CENTER, however it was found: labels, and
// clusters.kith. It is not in cluster_stage.h because the namespace kith::cluster and the public
// function kith::cluster() cannot both be declared in pipeline.cc.
#pragma once

#include <string>

#include "kith/report.h"
#include "kith/status.h"

#include "cluster/clustering.h"
#include "parallel/thread_pool.h"
#include "pipeline/cluster_stage.h"

namespace kith::pipeline {

// Needs of `inputs` all but plan and signatures. The order, the phases and the URLs with few words
// in the counts are left as they are by default.
Result<ClusterCounts> write_clustering(const std::string& path,
                                       const cluster::Clustering& clustering,
                                       const ClusterInputs& inputs, ThreadPool& pool);

}  // namespace kith::pipeline
