#include "cli/output/output.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

namespace kith::cli {

namespace {

Error file_error(const std::string& path, int cause) {
  return {ErrorKind::io, fmt::format("cannot write {}: {}", path, std::strerror(cause))};
}

// Files that a run needs; others in its folder are somebody's own.
Status check_no_run_file(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path file(path);
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (!fs::exists(file, ignored) || !fs::exists(folder / "manifest.json", ignored)) {
    return Status::ok();
  }
  constexpr std::string_view names[] = {"manifest", "report", "groups", "pairs", "keep", "against"};
  const bool is_list = std::ranges::find(names, file.stem().string()) != std::end(names);
  const bool is_page = file.extension() == ".html" || file.extension() == ".svg";
  if (file.extension() != ".kith" && (!is_list || is_page)) return Status::ok();
  return Error{ErrorKind::usage, fmt::format("{}: would replace a file of the run", path)};
}

}  // namespace

Output::~Output() {
  if (out_ != stdout && out_ != nullptr) std::fclose(out_);
}

Status Output::open(const std::string& path) {
  KITH_TRY(check_no_run_file(path));
  path_ = path;
  out_ = std::fopen(path.c_str(), "wb");
  if (out_ != nullptr) return Status::ok();
  keep(false);
  return file_error(path_, cause_);
}

void Output::flush() {
  if (good_) keep(std::fwrite(buffer_.data(), 1, buffer_.size(), out_) == buffer_.size());
  buffer_.clear();
  block_ = block;
}

void Output::keep(bool success) {
  good_ = success;
  if (!success) cause_ = errno;
}

Status Output::finish() {
  flush();
  if (good_) keep(std::fflush(out_) == 0);
  if (good_) return Status::ok();
  return path_.empty() ? output_error(cause_) : file_error(path_, cause_);
}

Error output_error(int cause) {
  return {ErrorKind::io, fmt::format("cannot write standard output: {}", std::strerror(cause))};
}

Status write_file(const std::string& path, std::string_view content) {
  KITH_TRY(check_no_run_file(path));
  std::ofstream file(path, std::ios::binary);
  file << content;
  file.close();
  if (file) return Status::ok();
  return Error{ErrorKind::io,
               fmt::format("cannot write {}: is the folder there and writable?", path)};
}

}  // namespace kith::cli
