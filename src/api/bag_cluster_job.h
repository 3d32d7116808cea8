// What cluster_bags() does, for bags in any arrays. Internal to this folder.
#pragma once

#include "kith/cluster_bags.h"
#include "kith/progress.h"
#include "kith/status.h"

#include "sketch/bag.h"

namespace kith::api {

// Options are valid, and the bags as kith::Bags makes them. To be called by guarded().
Result<BagClusters> cluster_collection(const sketch::BagCollection& bags,
                                       const BagClusterOptions& options,
                                       const ProgressCallback& progress);

}  // namespace kith::api
