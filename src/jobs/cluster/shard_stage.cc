#include "jobs/cluster/shard_stage.h"

#include <vector>

#include "bags/shard/builder.h"
#include "jobs/cluster/bag_stage.h"
#include "jobs/cluster/read_into.h"

namespace kith::jobs {
Status run_shard_stage(storage::FileSystem& fs, RunDirectory& run, ThreadPool& pool,
                       uint64_t memory, const ProgressCallback& progress) {
  const ClusterOptions& options = run.report().options;
  const auto make = [&](const run::ReadingBudget& budget, const crawl::PageReader&) {
    return bags::ShardBuilder::create(fs, run.scratch(), fragment_options(options), budget.workers,
                                      run::bag_memory(memory), memory - run::bag_memory(memory));
  };
  const auto add = [](bags::ShardBuilder::Worker& worker, const crawl::PageBatch& batch,
                      const crawl::Page& page, const text::Url& url, const text::HtmlText& text) {
    return worker.add({batch.sequence, page.file}, {page.body.size(), page.is_cut, page.ends_early},
                      url, text, page.title);
  };
  KITH_ASSIGN(auto read, read_into<bags::ShardBuilder>(options, {options.shard, options.shards},
                                                       pool, memory, progress, make, add));
  const crawl::CrawlReport crawl = read.reader.report();
  std::vector<uint32_t> example_inputs;
  for (const crawl::SkipExample& example : crawl.examples) {
    example_inputs.push_back(example.file_number);
  }
  KITH_ASSIGN(
      const bags::FragmentCounts counts,
      read.builder.finish(run.file(run::shard_file), read.reader.files(), example_inputs, pool));
  run.report().crawl = run::counts_of(crawl);
  run.report().text = counts;
  run.report().aliases = alias_report(counts, {});
  return Status::ok();
}

}  // namespace kith::jobs
