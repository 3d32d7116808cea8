// kith dedup killed again and again, for its tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include <gtest/gtest.h>

#include "jobs/dedup/job.h"
#include "support/crashing_file_system.h"
#include "unit/jobs/dedup/texts.h"

namespace kith::test {

// Kills a run of `request` at its first operation, and anew at every `step`-th after that until one
// is done before. The same command must then leave `expected`. Returns how often it was killed;
// fails the test, and says where, when the files differ.
inline size_t go_on_where_killed(DedupOptions request, const Files& expected, uint64_t step) {
  constexpr uint64_t max_operations = 1000;
  request.threads = 1;
  size_t kills = 0;
  for (uint64_t operations = 1; operations < max_operations; operations += step) {
    std::filesystem::remove_all(request.output);
    CrashingFileSystem crashing(operations, Loss::unsynced);
    if (jobs::dedup(crashing, request).is_ok()) break;
    ++kills;
    const auto report = jobs::dedup(storage::posix_file_system(), request);
    if (!report.is_ok()) {
      ADD_FAILURE() << operations << " operations: " << report.error().message;
      break;
    }
    if (files_of(request.output) != expected) {
      ADD_FAILURE() << operations << " operations: other files";
      break;
    }
  }
  return kills;
}

}  // namespace kith::test
