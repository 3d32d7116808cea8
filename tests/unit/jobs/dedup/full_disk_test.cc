// kith dedup on a disk that is full at any moment leaves nothing half done, and the same command
// goes on.
#include <cstdint>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "jobs/dedup/job.h"
#include "support/faulty_file_system.h"
#include "support/temp_dir.h"
#include "unit/jobs/dedup/texts.h"

namespace kith::jobs {
namespace {

namespace fs_path = std::filesystem;

TEST(DedupFullDisk, LeavesNothingHalfDoneAndGoesOn) {
  const test::TempDir dir(test::Medium::memory);
  test::write_file(dir / "documents.jsonl", test::lines_of(test::make_texts(90, 3)));
  DedupOptions request;
  request.inputs = {dir / "documents.jsonl"};
  request.output = dir / "run";
  request.threads = 1;
  ASSERT_TRUE(dedup(storage::posix_file_system(), request).is_ok());
  const test::Files expected = test::files_of(request.output);

  int kept = 0;
  for (uint64_t capacity = 0;; capacity += 997) {
    SCOPED_TRACE(capacity);
    fs_path::remove_all(request.output);
    test::FullDisk disk(capacity);
    if (dedup(disk, request).is_ok()) break;
    if (fs_path::exists(request.output)) {
      ++kept;
      for (const auto& [name, content] : test::files_of(request.output)) {
        EXPECT_TRUE(expected.contains(name)) << name;
      }
    }
    ASSERT_TRUE(dedup(storage::posix_file_system(), request).is_ok());
    EXPECT_TRUE(test::files_of(request.output) == expected);
    if (HasFailure()) return;
  }
  EXPECT_GT(kept, 10);
}

}  // namespace
}  // namespace kith::jobs
