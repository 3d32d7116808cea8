#include "file_name.h"

#include <filesystem>

namespace kith::server {

std::string file_name_of(const std::string& path) {
  std::filesystem::path parts = std::filesystem::path(path).lexically_normal();
  if (!parts.has_filename()) parts = parts.parent_path();
  const std::string name = parts.filename().string();
  return name.empty() || name == "." || name == ".." ? "run" : name;
}

}  // namespace kith::server
