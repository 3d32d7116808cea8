// kith::cluster_crawl where the n-th operation of its files fails, for all n or some.
#include "support/fault_loop.h"

#include <string>

#include <gtest/gtest.h>

#include "jobs/cluster/job.h"
#include "support/temp_dir.h"

namespace kith::jobs {
namespace {

std::string pages() {
  std::string lines;
  for (int i = 0; i < 12; ++i) {
    const std::string text =
        i < 6 ? "guitar chord melody rhythm tune " : "oven butter flour egg dough ";
    lines += R"({"url": "https://a.example/)" + std::to_string(i) + R"(", "text": ")" + text +
             "word" + std::string(1, static_cast<char>('a' + i)) + "\"}\n";
  }
  return lines;
}

class ClusterFaults : public testing::TestWithParam<EngineChoice> {};

TEST_P(ClusterFaults, EndWithTheRightBytesOrAnError) {
  const test::TempDir dir(test::Medium::memory);
  test::write_file(dir / "pages.jsonl", pages());
  ClusterOptions options;
  options.inputs = {dir / "pages.jsonl"};
  options.bags = BagKind::content;
  options.min_df = 1;
  options.max_df = 1;
  options.engine = GetParam();
  options.similarity = 0.3;
  options.lanes = 16;
  options.threads = 1;
  options.check_queries = 3;
  if (GetParam() == EngineChoice::paper) {
    paper_preset(options);
    options.lanes = 16;
  }
  test::expect_right_under_faults(dir.path(), [&](storage::FileSystem& fs, const std::string& run) {
    options.output = run;
    return cluster(fs, options).status();
  });
}

INSTANTIATE_TEST_SUITE_P(Engines, ClusterFaults,
                         testing::Values(EngineChoice::exact, EngineChoice::lsh,
                                         EngineChoice::paper));

}  // namespace
}  // namespace kith::jobs
