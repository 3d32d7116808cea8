// Where and within what the stages of `kith dedup` work.
#pragma once

#include <cstdint>
#include <string>

#include "base/parallel/thread_pool.h"
#include "storage/file_system.h"

namespace kith::jobs {

struct DedupResources {
  storage::FileSystem& fs;
  std::string folder;   // of the run
  std::string scratch;  // a folder for temporary files
  uint64_t memory;      // bytes for the whole process
  ThreadPool& pool;
};

}  // namespace kith::jobs
