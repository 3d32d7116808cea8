// What remains of a command that is ended by a signal: a message, and no temporary files.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "kith/status.h"

namespace kith::cli {

// A folder for temporary files that outlives the program only after kill -9.

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

// What the user reads who ends a long command with Ctrl-C, or a system that shuts down.

// From now on SIGINT, SIGTERM and SIGHUP end the program as they do by default, after one line on
// standard error and in the log: that the same command goes on, and behind which stage. Signals
// that are ignored stay so (nohup).
void announce_stops();

// Names the stage that the line tells of: the last one that is finished. One thread at a time.
void set_finished_stage(std::string_view stage);

}  // namespace kith::cli
