// kith::dedup where the n-th operation of its files fails, for all n or some.
#include "support/fault_loop.h"

#include <string>

#include <gtest/gtest.h>

#include "jobs/dedup/job.h"
#include "support/temp_dir.h"

namespace kith::jobs {
namespace {

std::string pages() {
  std::string lines;
  for (int i = 0; i < 12; ++i) {
    lines += R"({"url": "https://a.example/)" + std::to_string(i) +
             R"(", "html": "<p>one two three four five six seven eight nine ten word)" +
             std::string(1, static_cast<char>('a' + i / 2)) + "\"}\n";
  }
  return lines;
}

class DedupFaults : public testing::TestWithParam<DedupMethod> {};

TEST_P(DedupFaults, EndWithTheRightBytesOrAnError) {
  const test::TempDir dir(test::Medium::memory);
  test::write_file(dir / "pages.jsonl", pages());
  DedupOptions options;
  options.inputs = {dir / "pages.jsonl"};
  options.method = GetParam();
  options.similarity = 0.7;
  options.width = 2;
  options.threads = 1;
  options.check_queries = 3;
  test::expect_right_under_faults(dir.path(), [&](storage::FileSystem& fs, const std::string& run) {
    options.output = run;
    return dedup(fs, options).status();
  });
}

INSTANTIATE_TEST_SUITE_P(Methods, DedupFaults,
                         testing::Values(DedupMethod::minhash, DedupMethod::exact,
                                         DedupMethod::simhash, DedupMethod::supershingle));

}  // namespace
}  // namespace kith::jobs
