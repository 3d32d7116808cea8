// How many lanes a signature may have.
#pragma once

#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "kith/status.h"

namespace kith::sketch {

inline constexpr uint32_t max_lanes = 1024;

constexpr bool are_lanes(uint32_t lanes) {
  return lanes >= 16 && lanes <= max_lanes && lanes % 16 == 0;
}

// The lanes of a signature: an error of kind usage unless they are a multiple of 16 from 16 to
// max_lanes.
inline Status check_lanes(uint32_t lanes) {
  if (are_lanes(lanes)) return Status::ok();
  return Error{ErrorKind::usage,
               fmt::format("lanes = {}: must be a multiple of 16 from 16 to {}", lanes, max_lanes)};
}

}  // namespace kith::sketch
