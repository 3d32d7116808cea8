// Every job of the library where one thing fails once: memory, the beginning of a thread, or an
// operation of its files.
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/temp_dir.h"
#include "unit/faults/failing.h"
#include "unit/faults/jobs.h"

namespace kith::test {
namespace {

class Faults : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    inputs_ = new TempDir(Medium::memory);
    make_inputs(inputs_->path());
  }
  static void TearDownTestSuite() {
    delete inputs_;
    inputs_ = nullptr;
  }

  void expect_right(const std::vector<NamedJob>& jobs, const FaultyAttempt& attempt) {
    for (const NamedJob& of : jobs) {
      SCOPED_TRACE(of.name);
      expect_right_under_faults(dir_.path(), of.job, attempt);
    }
  }
  // The three kinds of faults.
  void expect_right_without_memory(const std::vector<NamedJob>& jobs) {
    if (can_fail()) expect_right(jobs, with_failing_allocation);
  }
  void expect_right_without_threads(const std::vector<NamedJob>& jobs) {
    if (can_fail()) expect_right(jobs, with_failing_thread);
  }
  void expect_right_without_files(const std::vector<NamedJob>& jobs) {
    expect_right(jobs, with_failing_file);
  }
  static const std::string& inputs() { return inputs_->path(); }

 private:
  static inline TempDir* inputs_ = nullptr;
  TempDir dir_{Medium::memory};
};

TEST_F(Faults, OfMemoryInClusters) {
  expect_right_without_memory(jobs_of_clusters(inputs()));
}
TEST_F(Faults, OfMemoryInDedup) {
  expect_right_without_memory(jobs_of_dedup(inputs()));
}
TEST_F(Faults, OfMemoryInStreams) {
  expect_right_without_memory(jobs_of_streams(inputs()));
}
TEST_F(Faults, OfMemoryInQuestions) {
  expect_right_without_memory(questions(inputs()));
}

TEST_F(Faults, OfThreadsInClusters) {
  expect_right_without_threads(jobs_of_clusters(inputs()));
}
TEST_F(Faults, OfThreadsInDedup) {
  expect_right_without_threads(jobs_of_dedup(inputs()));
}
TEST_F(Faults, OfThreadsInStreams) {
  expect_right_without_threads(jobs_of_streams(inputs()));
}
TEST_F(Faults, OfThreadsInQuestions) {
  expect_right_without_threads(questions(inputs()));
}

TEST_F(Faults, OfFilesInClusters) {
  expect_right_without_files(jobs_of_clusters(inputs()));
}
TEST_F(Faults, OfFilesInDedup) {
  expect_right_without_files(jobs_of_dedup(inputs()));
}
TEST_F(Faults, OfFilesInStreams) {
  expect_right_without_files(jobs_of_streams(inputs()));
}
TEST_F(Faults, OfFilesInQuestions) {
  expect_right_without_files(questions(inputs()));
}

}  // namespace
}  // namespace kith::test
