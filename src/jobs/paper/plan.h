// The parameters of the paper, as the plan of a run.
#pragma once

#include "kith/options.h"
#include "kith/report.h"

#include "base/parallel/thread_pool.h"
#include "cluster/plan/similarity_plan.h"
#include "sketch/bag.h"

namespace kith::jobs {

// The plan of a run by the paper, entered into the report.
cluster::SimilarityPlan make_paper_plan(const sketch::BagCollection& bags,
                                        const ClusterOptions& options, ThreadPool& pool,
                                        Report& report);

}  // namespace kith::jobs
