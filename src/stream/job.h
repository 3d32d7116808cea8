// The job `kith stream` on any file system, such as one that fails.
#pragma once

#include "kith/status.h"
#include "kith/stream_job.h"

#include "storage/file_system.h"

namespace kith::stream {

// run_stream() with the state on that file system. Input is read from the operating system's.
Result<StreamReport> run(storage::FileSystem& fs, const StreamJobOptions& options,
                         const StreamReceiver& receiver);

}  // namespace kith::stream
