// Folders, and what the operating system says of a call that failed.
#pragma once

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "kith/status.h"

namespace kith::storage {

// What the operating system says of a call that failed, as an error for the user.

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

// Folders of the operating system. The iterators of std::filesystem, and remove_all(), end the
// program where there is no memory for them: their steps are noexcept.

// The names of what is in the folder, files and folders, in order of their bytes. Error (not_found,
// io) where it cannot be listed. Thread-safe.
Result<std::vector<std::string>> names_in(const std::string& folder);

// Removes the file or link, or the folder with all in it; links are not followed. Nothing there is
// no error. Error (io) at the first that cannot be removed. Thread-safe.
Status remove_tree(const std::string& path);

}  // namespace kith::storage
