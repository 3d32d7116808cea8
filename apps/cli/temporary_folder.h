// A folder for temporary files that outlives the program only after kill -9.
#pragma once

#include <string>
#include <utility>

#include "kith/status.h"

namespace kith::cli {

// Removed with the files in it, of which none is a folder, when the object ends or when SIGINT,
// SIGTERM, SIGHUP or SIGPIPE ends the program; a signal that is ignored stays so. A program has one
// at a time.
class TemporaryFolder {
 public:
  // In $TMPDIR if that is set; else in `place`, or in /tmp where `place` cannot be written to. Its
  // name begins with `prefix`.
  static Result<TemporaryFolder> create(const std::string& prefix, const std::string& place);
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path);
  std::string path_;  // empty after a move
};

}  // namespace kith::cli
