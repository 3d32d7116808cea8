#include "output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

namespace kith::cli {

void Output::flush() {
  if (good_) keep(std::fwrite(buffer_.data(), 1, buffer_.size(), stdout) == buffer_.size());
  buffer_.clear();
}

void Output::keep(bool success) {
  good_ = success;
  if (!success) cause_ = errno;
}

Status Output::finish() {
  flush();
  if (good_) keep(std::fflush(stdout) == 0);
  return good_ ? Status::ok() : Status(output_error(cause_));
}

Error output_error(int cause) {
  return {ErrorKind::io, fmt::format("cannot write standard output: {}", std::strerror(cause))};
}

Status write_file(const std::string& path, std::string_view content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  file.close();
  if (file) return Status::ok();
  return Error{ErrorKind::io,
               fmt::format("cannot write {}: is the folder there and writable?", path)};
}

}  // namespace kith::cli
