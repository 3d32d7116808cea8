// A disk that is full, for as long as a test wants.
#pragma once

#include <csignal>
#include <cstdint>

#include <sys/resource.h>

namespace kith::test {

// Files of this process can grow to so many bytes as long as the object lives.
class FileLimit {
 public:
  explicit FileLimit(uint64_t bytes) : ignored_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, ignored_);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  void (*ignored_)(int);
  rlimit before_{};
};

}  // namespace kith::test
