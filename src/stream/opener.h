// A stream with files on any file system, such as one that fails.
#pragma once

#include <string>

#include "kith/status.h"
#include "kith/stream.h"

#include "storage/file_system.h"

namespace kith::stream {

class Opener {
 public:
  // Stream::open() on that file system, which outlives the stream.
  static Result<Stream> open(storage::FileSystem& fs, const std::string& directory,
                             const StreamOptions& options);
};

}  // namespace kith::stream
