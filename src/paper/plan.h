// The parameters of the paper, as the plan of a run.
#pragma once

#include "kith/options.h"
#include "kith/report.h"

#include "parallel/thread_pool.h"
#include "plan/similarity_plan.h"
#include "sketch/bag.h"

namespace kith::pipeline {

// The plan of a run by the paper, entered into the report.
SimilarityPlan make_paper_plan(const BagCollection& bags, const ClusterOptions& options,
                               ThreadPool& pool, Report& report);

}  // namespace kith::pipeline
