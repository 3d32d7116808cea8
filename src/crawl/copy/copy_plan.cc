#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "kith/rows.h"

#include "base/hash.h"
#include "crawl/copy/record_copy.h"
#include "storage/file_system.h"

namespace kith::crawl {
namespace {

namespace fs = std::filesystem;

fs::path absolute(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  return (error ? fs::path(path) : whole).lexically_normal();
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  const auto [at, end] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  // A folder may end in a slash: an empty last part.
  return at == folder.end() || at->empty();
}

// A pipe gives its bytes once, and they are needed twice.
Status check_inputs(const CrawlOptions& options) {
  for (const std::string& input : options.inputs) {
    std::error_code error;
    const fs::file_status status = fs::status(input, error);
    const bool is_address = input.find("://") != std::string::npos;
    if (input == "-" || is_address || fs::is_fifo(status) || fs::is_character_file(status)) {
      return Error{ErrorKind::usage,
                   fmt::format("{} {}: a copy of the input needs files",
                               input == "-" ? "standard input" : input,
                               is_address ? "is no file" : "can be read only once")};
    }
  }
  return Status::ok();
}

Status check_out(const CrawlOptions& options, const std::string& out) {
  if (out.empty()) return Error{ErrorKind::usage, "no place for the copy of the input is named"};
  std::error_code error;
  if (fs::is_directory(out, error)) {
    KITH_ASSIGN(const std::vector<std::string> names, storage::names_in(out));
    if (std::ranges::any_of(names, [](const auto& name) { return name != kUnfinishedFolder; })) {
      return Error{ErrorKind::usage, fmt::format("{} is not empty: name a new folder", out)};
    }
  } else if (fs::exists(fs::symlink_status(out, error))) {
    return Error{ErrorKind::usage, fmt::format("{} exists: name a new file or folder", out)};
  }
  const fs::path place = fs::weakly_canonical(absolute(out), error);
  for (const std::string& input : options.inputs) {
    if (!fs::is_directory(input, error)) continue;
    if (lies_in(place, fs::weakly_canonical(absolute(input), error))) {
      return Error{ErrorKind::usage,
                   fmt::format("{} lies in {}, which is an input: name another place", out, input)};
    }
  }
  return Status::ok();
}

// Two names that are equal, or one of them a folder that the other lies in, cannot stand together.
bool has_clash(const std::vector<PlannedCopy>& files) {
  std::set<std::string> names;
  for (const PlannedCopy& file : files) {
    if (!names.insert(file.name).second) return true;
  }
  for (const PlannedCopy& file : files) {
    for (fs::path at = fs::path(file.name).parent_path(); !at.empty(); at = at.parent_path()) {
      if (names.contains(at.generic_string())) return true;
    }
  }
  return false;
}

void name_below_common_folder(std::vector<PlannedCopy>& files) {
  fs::path common = absolute(files.front().file.path).parent_path();
  for (const PlannedCopy& file : files) {
    const fs::path path = absolute(file.file.path);
    while (!lies_in(path, common)) common = common.parent_path();
  }
  for (PlannedCopy& file : files) {
    file.name = absolute(file.file.path).lexically_relative(common).generic_string();
  }
}

Status check_named_once(const std::vector<PlannedCopy>& files) {
  std::set<fs::path> paths;
  for (const PlannedCopy& file : files) {
    if (!paths.insert(absolute(file.file.path)).second) {
      return Error{
          ErrorKind::usage,
          fmt::format("{} is named twice: a copy of the input needs it once", file.file.path)};
    }
  }
  return Status::ok();
}

// What cannot be written again, or only by reading it over and over.
Status check_packing(const std::vector<PlannedCopy>& files) {
  for (const PlannedCopy& planned : files) {
    const InputFile& file = planned.file;
    if (file.container && file.container->is_packed()) {
      return Error{ErrorKind::usage,
                   fmt::format("{} is a tar that is packed as a whole: unpack it first, for a copy "
                               "of its files",
                               file.container->path())};
    }
    if (file.codec && *file.codec != Codec::gzip && *file.codec != Codec::zstd) {
      return Error{ErrorKind::usage,
                   fmt::format("{} is packed by {}: a copy can be written of plain files and of "
                               "those packed by gzip or zstd; unpack it first",
                               file.path, file_codec(*file.codec).name)};
    }
  }
  return Status::ok();
}

}  // namespace

Result<CopyPlan> plan_copy(const CrawlOptions& options, const std::string& out) {
  KITH_TRY(check_inputs(options));
  KITH_TRY(check_out(options, out));
  CrawlOptions all = options;
  all.share = {};
  KITH_ASSIGN(InputList inputs, find_inputs(all));
  CopyPlan plan;
  plan.out = out;
  for (InputFile& file : inputs.files) {
    std::string name = file.below;
    plan.files.push_back({std::move(file), std::move(name)});
  }
  KITH_TRY(check_named_once(plan.files));
  KITH_TRY(check_packing(plan.files));
  std::error_code error;
  const bool is_one_file = options.inputs.size() == 1 && plan.files.size() == 1 &&
                           plan.files.front().file.path == options.inputs.front();
  plan.is_folder = !is_one_file || out.ends_with('/') || fs::is_directory(out, error);
  if (!plan.is_folder) {
    plan.files.front().name.clear();
  } else if (has_clash(plan.files)) {
    name_below_common_folder(plan.files);
  }
  return plan;
}

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
