// A job in which one thing fails, a file operation for example, once for all things or some: it
// ends with the right bytes or with an error, and the same job goes on to the right bytes
// afterwards.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <system_error>

#include <gtest/gtest.h>

#include "kith/status.h"

#include "support/failing_file_system.h"
#include "support/temp_dir.h"

namespace kith::test {

// What a job has made, by the names of files or anything else.
using Made = std::map<std::string, std::string>;

// The stage files by their names.
inline Made stage_files_of(const std::string& folder) {
  Made files;
  std::error_code no_folder;
  for (const auto& entry : std::filesystem::directory_iterator(folder, no_folder)) {
    if (entry.path().extension() == ".kith") {
      files[entry.path().filename().string()] = read_file(entry.path().string());
    }
  }
  return files;
}

// The names of what differs, since the bytes would fill the screen; empty where nothing does.
inline std::string differences(const Made& made, const Made& right) {
  std::string names;
  for (const auto& [name, bytes] : right) {
    if (!made.contains(name)) names += name + " is missing; ";
  }
  for (const auto& [name, bytes] : made) {
    const auto of_right = right.find(name);
    if (of_right == right.end()) names += name + " is too much; ";
    if (of_right != right.end() && of_right->second != bytes) names += name + " is other; ";
  }
  return names;
}

struct FaultyJob {
  // Leaves all that it makes in that folder, and goes on there after an error.
  std::function<Status(const std::string& output)> run;
  // What of that is always the same.
  std::function<Made(const std::string& output)> made = stage_files_of;
};

struct Attempt {
  Status status;
  bool has_failed = false;  // the thing that was to fail came
};

// One kind of things that fail: runs the job, in which thing n fails, counted from 0.
using FaultyAttempt =
    std::function<Attempt(const FaultyJob& job, const std::string& output, uint64_t n)>;

// The next thing to fail: where KITH_ALL_FAULTS is set all of the first 10,000, else the first
// ones; then ever fewer.
inline uint64_t next_fault(uint64_t n) {
  static const bool is_complete = std::getenv("KITH_ALL_FAULTS") != nullptr;
  if (!is_complete) return std::max(n + 1, n + n / 3);
  return n < 10'000 ? n + 1 : n + n / 50;
}

// Folders are made below `folder`, where nothing is left.
inline void expect_right_under_faults(const std::string& folder, const FaultyJob& job,
                                      const FaultyAttempt& attempt) {
  const std::string output = folder + "/run";
  const Status undisturbed = job.run(output);
  ASSERT_TRUE(undisturbed.is_ok()) << undisturbed.error().message;
  const Made right = job.made(output);
  ASSERT_FALSE(right.empty());
  std::filesystem::remove_all(output);
  for (uint64_t n = 0;; n = next_fault(n)) {
    SCOPED_TRACE(n);
    const auto [status, has_failed] = attempt(job, output, n);
    if (status) {
      // What only cleans up, or can do without, may fail without a word; the bytes are right then.
      EXPECT_EQ(differences(job.made(output), right), "");
    } else {
      EXPECT_FALSE(status.error().message.empty());
    }
    const Status again = job.run(output);
    ASSERT_TRUE(again.is_ok()) << again.error().message;
    ASSERT_EQ(differences(job.made(output), right), "");
    std::filesystem::remove_all(output);
    if (!has_failed) {
      EXPECT_TRUE(status.is_ok());
      return;
    }
  }
}

// The same for a job whose files are on a file system of which one operation fails.
inline void expect_right_under_faults(
    const std::string& folder,
    const std::function<Status(storage::FileSystem& fs, const std::string& output)>& job) {
  const FaultyJob undisturbed{
      [&](const std::string& output) { return job(storage::posix_file_system(), output); }};
  expect_right_under_faults(
      folder, undisturbed,
      [&](const FaultyJob& /*job*/, const std::string& output, uint64_t n) -> Attempt {
        FailingFileSystem fs(n);
        Status status = job(fs, output);
        return {std::move(status), fs.has_failed()};
      });
}

}  // namespace kith::test
