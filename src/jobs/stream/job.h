// The job `kith stream` on any file system, such as one that fails.
#pragma once

#include "kith/status.h"
#include "kith/stream.h"
#include "kith/stream_job.h"

#include "storage/file_system.h"

namespace kith::jobs {

// What is left of options.memory for the state of the stream when a page is read. An error of kind
// usage where it is too little.
Result<uint64_t> memory_of_state(const StreamJobOptions& options);

// Whether the log is larger than what a snapshot saves, and large enough to be worth its time.
bool is_snapshot_due(const Stream& stream);

// run_stream() with the state on that file system. Input is read from the operating system's.
Result<StreamReport> run(storage::FileSystem& fs, const StreamJobOptions& options,
                         const StreamReceiver& receiver);

}  // namespace kith::jobs
