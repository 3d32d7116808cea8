#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "kith/escape.h"

#include "base/hash.h"
#include "crawl/copy/copy_work.h"
#include "crawl/copy/record_copy.h"
#include "storage/folders.h"

namespace kith::crawl {
namespace {

namespace fs_path = std::filesystem;

Error is_foreign(const std::string& path) {
  return {ErrorKind::usage,
          fmt::format("{} is not what this run has written there: name a new place for the copy",
                      path)};
}

Result<bool> holds(storage::FileSystem& fs, const std::string& path, const CopiedFile& file) {
  constexpr size_t block = 8 << 20;
  KITH_ASSIGN(const auto from, fs.open(path));
  if (from->size() != file.bytes) return false;
  StreamHash hash;
  std::vector<std::byte> buffer(std::min<uint64_t>(block, file.bytes));
  for (uint64_t at = 0; at < file.bytes;) {
    KITH_ASSIGN(const size_t got, from->read_at(at, buffer));
    if (got == 0) return false;
    hash.update(Bytes(buffer).first(got));
    at += got;
  }
  return fmt::format("{:016x}", hash.digest()) == file.checksum;
}

// Adds the names of the files below a folder, relative to `top`, which are all at their places; of
// `top` itself without what is unfinished.
Status add_places(const fs_path::path& top, const fs_path::path& folder,
                  std::vector<std::string>& places) {
  KITH_ASSIGN(const std::vector<std::string> names, storage::names_in(folder.native()));
  for (const std::string& name : names) {
    if (folder == top && name == kUnfinishedFolder) continue;
    const fs_path::path path = folder / name;
    std::error_code gone;
    if (fs_path::is_directory(fs_path::symlink_status(path, gone))) {
      KITH_TRY(add_places(top, path, places));
    } else {
      places.push_back(path.lexically_relative(top).generic_string());
    }
  }
  return Status::ok();
}

CopyState state_of(size_t found, size_t all) {
  if (found == all) return CopyState::whole;
  return found == 0 ? CopyState::absent : CopyState::partial;
}

}  // namespace

Result<CopyState> find_copy(storage::FileSystem& fs, const std::string& out, bool is_folder,
                            std::span<const CopiedFile> files) {
  if (!fs.exists(out)) return CopyState::absent;
  std::error_code error;
  if (fs_path::is_directory(out, error) != is_folder) return is_foreign(out);
  if (!is_folder) {
    if (files.empty()) return is_foreign(out);
    KITH_ASSIGN(const bool same, holds(fs, out, files.front()));
    return same ? Result<CopyState>(CopyState::whole) : is_foreign(out);
  }
  std::vector<std::string> names;
  KITH_TRY(add_places(out, out, names));
  for (const std::string& name : names) {
    const std::string escaped = tsv_field(name);
    const auto file = std::ranges::lower_bound(files, escaped, {}, &CopiedFile::name);
    const std::string path = (fs_path::path(out) / name).string();
    if (file == files.end() || file->name != escaped) return is_foreign(path);
    KITH_ASSIGN(const bool same, holds(fs, path, *file));
    if (!same) return is_foreign(path);
  }
  return state_of(names.size(), files.size());
}

Status remove_copy(storage::FileSystem& fs, const std::string& out, bool is_folder) {
  if (!is_folder) return fs.remove(out);
  KITH_ASSIGN(const std::vector<std::string> names, fs.list(out));
  for (const std::string& name : names) {
    KITH_TRY(fs.remove_tree((fs_path::path(out) / name).string()));
  }
  return Status::ok();
}

}  // namespace kith::crawl
