// What kith::BagVerifier works on. Internal to this folder.
#pragma once

#include <cstdint>

#include "kith/cluster_steps.h"

#include "distributed/unpacked_bags.h"

namespace kith {

struct BagVerifier::State {
  uint32_t least = 0;  // sum of minima of similar bags
  distributed::UnpackedBags bags;
};

}  // namespace kith
