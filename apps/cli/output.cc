#include "output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace kith::cli {

void Output::flush() {
  good_ = good_ && std::fwrite(buffer_.data(), 1, buffer_.size(), stdout) == buffer_.size();
  buffer_.clear();
}

Status Output::finish() {
  flush();
  good_ = good_ && std::fflush(stdout) == 0;
  if (good_) return Status::ok();
  return Error{ErrorKind::io, std::string("cannot write standard output: ") + std::strerror(errno)};
}

}  // namespace kith::cli
