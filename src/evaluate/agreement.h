// How well a partition of items agrees with their labels: ARI, NMI, AMI, purity, pairs, B-cubed
// (docs/algorithms/evaluate.md). Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <span>

#include "kith/evaluate.h"

#include "evaluate/label_sets.h"

namespace kith::evaluate {

// clusters[i]: the cluster of item i; any values. REQUIRES: as many as labels has items.
Agreement measure_agreement(std::span<const uint32_t> clusters, const LabelSets& labels);

// The same, of one label an item. REQUIRES: equal sizes.
Agreement measure_agreement(std::span<const uint32_t> clusters, std::span<const uint32_t> labels);

}  // namespace kith::evaluate
