// A job each of whose file operations fails once: it ends with the right bytes or with an error,
// and the same job goes on to the right bytes afterwards.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "support/failing_file_system.h"
#include "support/temp_dir.h"

namespace kith::test {

// Runs a job that leaves its files in `output`.
using FaultyJob = std::function<Status(storage::FileSystem& fs, const std::string& output)>;

// The stage files by their names.
inline std::map<std::string, std::string> stage_files_of(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".kith") {
      files[entry.path().filename().string()] = read_file(entry.path().string());
    }
  }
  return files;
}

// The next operation to fail: all of them where KITH_ALL_FAULTS is set; else the first ones, and
// then ever fewer.
inline uint64_t next_fault(uint64_t n) {
  static const bool is_complete = std::getenv("KITH_ALL_FAULTS") != nullptr;
  return is_complete ? n + 1 : std::max(n + 1, n + n / 3);
}

// Folders are made below `folder`, where nothing is left.
inline void expect_right_under_faults(const std::string& folder, const FaultyJob& job) {
  const std::string output = folder + "/run";
  ASSERT_TRUE(job(storage::posix_file_system(), output).is_ok());
  const auto right = stage_files_of(output);
  ASSERT_FALSE(right.empty());
  std::filesystem::remove_all(output);
  for (uint64_t n = 0;; n = next_fault(n)) {
    SCOPED_TRACE(n);
    FailingFileSystem fs(n);
    const Status status = job(fs, output);
    if (status) {
      // What only cleans up may fail without a word; the bytes are right then.
      EXPECT_EQ(stage_files_of(output), right);
    } else {
      EXPECT_FALSE(status.error().message.empty());
    }
    const Status again = job(storage::posix_file_system(), output);
    ASSERT_TRUE(again.is_ok()) << again.error().message;
    ASSERT_EQ(stage_files_of(output), right);
    std::filesystem::remove_all(output);
    if (!fs.has_failed()) {
      EXPECT_TRUE(status.is_ok());
      return;
    }
  }
}

}  // namespace kith::test
