// How well a tree of items agrees with their labels.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace kith::evaluate {

// Dendrogram purity (Heller and Ghahramani, Bayesian hierarchical clustering, 2005): the mean over
// all pairs of items with one label of the share of items with that label below the lowest node
// that both are below. (0, 1]; nothing where no two items share a label.
// parent: by node; that of every node but the first, the root, comes before it. node: by item,
// where it hangs; label: by item. REQUIRES: as many nodes of items as labels. Pure, thread-safe;
// takes items x depth x log.
std::optional<double> dendrogram_purity(std::span<const uint32_t> parent,
                                        std::span<const uint32_t> node,
                                        std::span<const uint32_t> label);

}  // namespace kith::evaluate
