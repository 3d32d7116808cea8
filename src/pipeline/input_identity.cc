#include "pipeline/input_identity.h"

#include <algorithm>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/hash.h"

namespace kith::pipeline {

namespace fs_path = std::filesystem;

std::string file_identity(const fs_path::path& path) {
  std::error_code ignored;
  const auto size = fs_path::file_size(path, ignored);
  const auto changed = fs_path::last_write_time(path, ignored).time_since_epoch();
  return fmt::format("{}:{}:{}", path.string(), size, changed.count());
}

std::string crawl_identity(const std::string& input) {
  std::error_code ignored;
  if (!fs_path::is_directory(input, ignored)) return file_identity(input);
  std::vector<std::string> files;
  for (fs_path::recursive_directory_iterator entry(input, ignored), end; entry != end;
       entry.increment(ignored)) {
    if (ignored) break;
    if (entry->is_regular_file(ignored)) files.push_back(file_identity(entry->path()));
  }
  std::ranges::sort(files);
  std::string all;
  for (const std::string& file : files) all += file + "\n";
  return fmt::format("{}:{:016x}", input, hash64(all));
}

}  // namespace kith::pipeline
