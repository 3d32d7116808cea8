// What kith::BagPartPairs works on. Internal to this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kith/cluster_steps.h"
#include "kith/status.h"

#include "distributed/unpacked_bags.h"
#include "similar/tables/part_pairs.h"

namespace kith {

struct BagPartPairs::State {
  // REQUIRES: members are places among the bags, and signatures are theirs, of so many lanes.
  static Result<std::unique_ptr<State>> make(const ClusterSteps::PartBags& input, uint32_t lanes,
                                             similar::PartPairRule rule);

  distributed::UnpackedBags bags;
  std::vector<uint8_t> plane;
  std::optional<similar::PartPairs> found = std::nullopt;  // of these
};

}  // namespace kith
