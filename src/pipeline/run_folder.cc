#include "pipeline/run_folder.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "pipeline/stage_files.h"

namespace kith::pipeline {
namespace {

// Whether nothing is in a folder but what a run leaves that was killed before it had a manifest.
bool is_unused(const std::string& folder) {
  const std::string begun = storage::temporary_name(std::string(manifest_file));
  std::error_code code;
  for (std::filesystem::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    if (entry->path().filename() != begun) return false;
  }
  return !code;
}

}  // namespace

Result<RunFolder> enter_run_folder(storage::FileSystem& fs, const std::string& path) {
  const std::string manifest = fmt::format("{}/{}", path, manifest_file);
  RunFolder folder;
  folder.is_new = !fs.exists(path);
  if (!folder.is_new && !fs.exists(manifest) && !is_unused(path)) {
    return Error{ErrorKind::usage,
                 fmt::format("{}: is not empty and holds no run of kith; name a new folder", path)};
  }
  if (folder.is_new) KITH_TRY(fs.make_directories(path));
  KITH_ASSIGN(folder.lock, fs.lock(path));
  // Only now: another process may have made a run before it let the folder go.
  folder.holds_run = fs.exists(manifest);
  return folder;
}

}  // namespace kith::pipeline
