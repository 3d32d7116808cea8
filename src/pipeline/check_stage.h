// The check: a sample of URLs is compared with all others by brute force, and what the run found is
// held against the truth.
#pragma once

#include <cstdint>

#include "kith/options.h"
#include "kith/report.h"

#include "index/neighbours.h"
#include "parallel/thread_pool.h"
#include "sketch/bag.h"

namespace kith::pipeline {

// Pairs: the degree that the run counted for each sampled URL against the number of URLs that
// are truly at or above the threshold. Neighbours: the lists of the run against the true K nearest,
// every similarity compared exactly.
CheckReport check_run(const BagCollection& bags, uint32_t min_sum,
                      const index::Neighbours& neighbours, const ClusterOptions& options,
                      ThreadPool& pool);

}  // namespace kith::pipeline
