// Bags in fewer bytes, as they travel between machines.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kith/status.h"

namespace kith::python {

// The entries of kith::PackedBags in some five bytes each: of a bag for each term the distance from
// the term before it, and its weight, in groups of seven bits. offsets: of the bags.
Result<std::vector<uint8_t>> shorten(std::span<const uint64_t> offsets,
                                     std::span<const uint64_t> entries);

// What was shortened, by the sizes of the bags. An error of kind corrupt where they do not fit.
Result<std::vector<uint64_t>> restore(std::span<const uint8_t> bytes,
                                      std::span<const uint64_t> sizes);

}  // namespace kith::python
