// How long the signatures are in most tests of the joins by tables.
#pragma once

#include <cstdint>

namespace kith::similar {

inline constexpr uint32_t few_lanes = 64;

}  // namespace kith::similar
