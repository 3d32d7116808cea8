// What kith::GatheredBags works on. Internal to this folder.
#pragma once

#include "kith/cluster_steps.h"

#include "distributed/unpacked_bags.h"

namespace kith {

struct GatheredBags::State {
  BagClusterOptions options;
  distributed::UnpackedBags bags;
};

}  // namespace kith
