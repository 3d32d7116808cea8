// What a join says that was given less memory than its minimum. Internal to this folder.
#pragma once

#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "kith/status.h"

namespace kith::similar {

// memory, least: bytes of the join's own share.
inline Error too_little_memory(uint64_t memory, uint64_t least, uint64_t count,
                               std::string_view what) {
  return {ErrorKind::usage, fmt::format("{} bytes of memory are too few to compare {} {}; {} are "
                                        "the minimum",
                                        memory, count, what, least)};
}

}  // namespace kith::similar
