// The part of the cluster stage that comes after CENTER, however it was found: labels, and
// clusters.kith.
#pragma once

#include <string>

#include "kith/report.h"
#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "cluster/clustering.h"
#include "jobs/cluster/cluster_stage.h"

namespace kith::jobs {

// Needs of `inputs` all but plan and signatures. The order, the phases and the URLs with few words
// in the counts are left as they are by default.
Result<ClusterCounts> write_clustering(const std::string& path,
                                       const cluster::Clustering& clustering,
                                       const ClusterInputs& inputs, ThreadPool& pool);

}  // namespace kith::jobs
