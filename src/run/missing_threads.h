// What a job says of threads that could not be started.
#pragma once

#include "kith/progress.h"

#include "base/parallel/thread_pool.h"

namespace kith::run {

// A note of `progress` where the pool has fewer threads than were asked for; to be called once, as
// the job begins.
void note_missing_threads(const ThreadPool& pool, const ProgressCallback& progress);

}  // namespace kith::run
