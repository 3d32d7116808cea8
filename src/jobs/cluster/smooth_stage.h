// The smooth stage: the nearest URLs of every URL by smoothed bags (docs/algorithms/smooth.md).
#pragma once

#include "kith/options.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/status.h"

#include "jobs/cluster/pair_stage.h"
#include "run/neighbours.h"
#include "sketch/bag.h"

namespace kith::jobs {

struct SmoothInputs {
  const sketch::BagCollection& bags;
  const run::Neighbours& neighbours;          // of these bags, as the pairs stage has found them
  EngineChoice engine = EngineChoice::exact;  // that of the run: exact or lsh
  const ClusterOptions& options;
};

// Makes the smoothed bags, joins them by the engine, and writes their lists, of all hosts and of
// others: order, sums and degrees are those of smoothed bags. These and their signatures lie in the
// scratch folder until the end. The files are the same for any number of threads and any memory. An
// error of kind usage when the memory is too small; it names the minimum.
Result<SmoothReport> write_smoothed_neighbours(const NeighbourFiles& files,
                                               const SmoothInputs& inputs, PairResources resources,
                                               const ProgressCallback& progress);

}  // namespace kith::jobs
