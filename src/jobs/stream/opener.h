// A stream with files on any file system, such as one that fails.
#pragma once

#include <string>

#include "kith/status.h"
#include "kith/stream.h"

#include "storage/file_system.h"

namespace kith::jobs {

class Opener {
 public:
  // Stream::open() on that file system, which outlives the stream.
  static Result<Stream> open(storage::FileSystem& fs, const std::string& directory,
                             const StreamOptions& options, const StreamRecovery& recovery = {});
  // What a stream is made of.
  static State& state(Stream& stream) { return *stream.state_; }
};

}  // namespace kith::jobs
