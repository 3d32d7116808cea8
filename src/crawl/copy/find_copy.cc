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

// The files below a folder that stand at their places, and whether there is nothing else.
Result<std::vector<std::string>> list_places(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  fs_path::recursive_directory_iterator at(folder, error);
  for (; !error && at != fs_path::recursive_directory_iterator(); at.increment(error)) {
    if (at.depth() == 0 && at->path().filename() == kUnfinishedFolder) {
      at.disable_recursion_pending();
    } else if (!at->is_directory() || at->is_symlink()) {
      names.push_back(at->path().lexically_relative(folder).generic_string());
    }
  }
  if (error)
    return Error{ErrorKind::io, fmt::format("cannot list {}: {}", folder, error.message())};
  return names;
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
  KITH_ASSIGN(const std::vector<std::string> names, list_places(out));
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
  std::error_code error;
  for (fs_path::directory_iterator at(out, error), end; !error && at != end; at.increment(error)) {
    KITH_TRY(fs.remove_tree(at->path().string()));
  }
  if (error) return Error{ErrorKind::io, fmt::format("cannot list {}: {}", out, error.message())};
  return Status::ok();
}

}  // namespace kith::crawl
