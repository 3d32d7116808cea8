// Whether an input is still the one that an earlier run has read.
#pragma once

#include <filesystem>
#include <string>

namespace kith::pipeline {

// Path, size and time of change of a file.
std::string file_identity(const std::filesystem::path& path);

// Of a file, or of all files below a folder.
std::string crawl_identity(const std::string& input);

}  // namespace kith::pipeline
