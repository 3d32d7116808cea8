// The check: a sample of URLs is compared with all others by brute force, and what the run found is
// held against the truth.
#pragma once

#include <cstdint>

#include "kith/options.h"
#include "kith/report.h"

#include "index/neighbours.h"
#include "pairs/classes.h"
#include "parallel/thread_pool.h"
#include "sketch/bag.h"

namespace kith::pipeline {

// Pairs: the degree that the run counted for each sampled URL against the number of URLs that
// of its class are truly at or above the threshold. Neighbours, of any class: the lists of the run
// against the true K nearest, every similarity compared exactly.
CheckReport check_run(const BagCollection& bags, uint32_t min_sum, const pairs::Classes& classes,
                      const index::Neighbours& neighbours, const ClusterOptions& options,
                      ThreadPool& pool);

}  // namespace kith::pipeline
