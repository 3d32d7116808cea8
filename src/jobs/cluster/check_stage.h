// The check: a sample of URLs is compared with all others by brute force, and what the run found is
// held against the truth.
#pragma once

#include <cstdint>

#include "kith/options.h"
#include "kith/report.h"

#include "base/parallel/thread_pool.h"
#include "run/neighbours.h"
#include "similar/duplicates.h"
#include "sketch/bag.h"

namespace kith::jobs {

// Pairs: the degree that the run counted for each sampled URL against the number of URLs that
// of its class are truly at or above the threshold. Neighbours, of any class: the lists of the run
// against the true K nearest, every similarity compared exactly.
CheckReport check_run(const sketch::BagCollection& bags, uint32_t min_sum,
                      const similar::Classes& classes, const run::Neighbours& neighbours,
                      const ClusterOptions& options, ThreadPool& pool);

}  // namespace kith::jobs
