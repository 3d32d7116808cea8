// What the operating system says of a call that failed, as an error for the user.
#pragma once

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "kith/status.h"

namespace kith::storage {

// action: "open", "remove", said of the path. code: of errno.
inline Error os_error(std::string_view action, const std::string& path, int code) {
  std::string_view advice;
  if (code == ENOSPC || code == EDQUOT) {
    advice = "; free some space or choose another place, then run the same command again";
  }
  const ErrorKind kind = code == ENOENT || code == ENOTDIR ? ErrorKind::not_found : ErrorKind::io;
  return {kind, fmt::format("cannot {} {}: {}{}", action, path,
                            std::generic_category().message(code), advice)};
}

}  // namespace kith::storage
