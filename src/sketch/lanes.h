// How many lanes a signature may have.
#pragma once

#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "kith/status.h"

namespace kith {

// The lanes of a signature: an error of kind usage unless they are a multiple of 16 from 16 to
// 1024. name: what the user calls them.
inline Status check_lanes(uint32_t lanes, std::string_view name = "--lanes") {
  if (lanes >= 16 && lanes <= 1024 && lanes % 16 == 0) return Status::ok();
  return Error{ErrorKind::usage,
               fmt::format("{} {}: must be a multiple of 16 from 16 to 1024", name, lanes)};
}

}  // namespace kith
