#include "storage/folders.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kith::storage {

Result<std::vector<std::string>> names_in(const std::string& folder) {
  const auto close = [](DIR* opened) { ::closedir(opened); };
  const std::unique_ptr<DIR, decltype(close)> opened(::opendir(folder.c_str()), close);
  if (!opened) return os_error("list", folder, errno);
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(opened.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) return os_error("list", folder, errno);
  std::ranges::sort(names);
  return names;
}

Status remove_tree(const std::string& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0) {
    return errno == ENOENT ? Status::ok() : Status(os_error("remove", path, errno));
  }
  const bool is_folder = S_ISDIR(status.st_mode);
  if (is_folder) {
    const Result<std::vector<std::string>> names = names_in(path);
    if (!names) return names.error().kind == ErrorKind::not_found ? Status::ok() : names.status();
    for (const std::string& name : *names) KITH_TRY(remove_tree(fmt::format("{}/{}", path, name)));
  }
  const int failed = is_folder ? ::rmdir(path.c_str()) : ::unlink(path.c_str());
  if (failed != 0 && errno != ENOENT) return os_error("remove", path, errno);
  return Status::ok();
}

}  // namespace kith::storage
