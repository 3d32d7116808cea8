// All pairs of a finished run, computed anew by the run's engine: nothing need be kept for a
// list that few ask for and that can be far larger than the crawl.
#pragma once

#include <functional>
#include <string>

#include "kith/report.h"
#include "kith/run.h"
#include "kith/status.h"

#include "jobs/cluster/pair_stage.h"
#include "sketch/bag.h"

namespace kith::answers {

// Run::for_each_pair with the engine, the threshold and the seeds that `report` names;
// `signatures_path` is the run's signatures file, which only the LSH engine has. The exact engine
// gives pairs as it finds them where its index fits the memory; else, and with tables, all are
// found before the first is given.
Status for_each_pair(const sketch::BagCollection& bags, const Report& report,
                     const std::string& signatures_path, const jobs::PairResources& resources,
                     const std::function<bool(const SimilarPair&)>& take);

}  // namespace kith::answers
