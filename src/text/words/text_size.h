// How large a text may be: places in it are numbers of 32 bits.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "kith/status.h"

namespace kith::text {

// An error of kind usage for a text of 4 GiB or more; it names the text by its number, if it has
// one.
inline Status check_size(std::string_view text, std::optional<size_t> number = {}) {
  if (text.size() <= UINT32_MAX) return Status::ok();
  return Error{ErrorKind::usage,
               fmt::format("{} is {} bytes long; split it into parts below 4 GiB",
                           number ? fmt::format("text {}", *number) : "the text", text.size())};
}

}  // namespace kith::text
