// What kith::GatheredBags works on. Internal to this folder.
#pragma once

#include "kith/cluster_steps.h"

#include "library/unpacked_bags.h"

namespace kith {

struct GatheredBags::State {
  BagClusterOptions options;
  library::UnpackedBags bags;
};

}  // namespace kith
