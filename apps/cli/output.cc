#include "output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

namespace kith::cli {

void Output::flush() {
  good_ = good_ && std::fwrite(buffer_.data(), 1, buffer_.size(), stdout) == buffer_.size();
  buffer_.clear();
}

Status Output::finish() {
  flush();
  good_ = good_ && std::fflush(stdout) == 0;
  if (good_) return Status::ok();
  return output_error(errno);
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
