// Whether a file is the one that was read under its name before, and how far it was read.
#pragma once

#include <string>

#include "kith/status.h"
#include "kith/stream.h"

namespace kith::jobs {

struct SourceStart {
  StreamSource as;        // its size and hash now, and the record to begin with
  bool is_other = false;  // other content had that name before
};

// before: what is known of the name. A file with the size and hash of before, or one that begins
// with so many bytes of that hash, goes on at before.next; any other begins at 0. The hash is of
// the first and last bytes, so that a large file is not read twice.
Result<SourceStart> start_of(const std::string& path, const StreamSource& before);

}  // namespace kith::jobs
