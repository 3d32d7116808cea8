#include "pipeline/shard_stage.h"

#include <deque>
#include <memory>
#include <optional>

#include "bags/shard/builder.h"
#include "crawl/read/page_reader.h"
#include "pipeline/bag_stage.h"
#include "run/pages.h"
#include "text/url/url.h"

namespace kith::pipeline {
namespace {

// One worker's way from a page's bytes to the digests of the shard; its buffers are reused.
class alignas(worker_alignment) PageWorker {
 public:
  explicit PageWorker(bags::ShardBuilder::Worker& shard) : shard_(&shard) {}

  Status add(uint64_t batch, const crawl::Page& page) {
    const bool has_url = text::parse_url(page.url, nullptr, url_);
    if (page.kind == crawl::PageKind::redirect) {
      return has_url ? shard_->add_redirect(url_, page.location) : Status::ok();
    }
    return shard_->add({batch, page.file}, {page.body.size(), page.is_cut, page.ends_early}, url_,
                       text_->read(page), page.title);
  }

  // Frees what a large page has made the buffers grow to.
  void forget_buffers() {
    text_.emplace();
    shard_->forget_buffers();
  }

 private:
  bags::ShardBuilder::Worker* shard_;
  std::optional<PageText> text_{std::in_place};
  text::Url url_;
};

}  // namespace

Status run_shard_stage(storage::FileSystem& fs, RunDirectory& run, ThreadPool& pool,
                       uint64_t memory, const ProgressCallback& progress) {
  const ClusterOptions& options = run.report().options;
  KITH_TRY(check_reading_memory(memory, options.max_page));
  const ReadingBudget budget = reading_budget(memory, options.max_page, pool.size());
  auto keys = std::make_unique<PageKeys>();
  KITH_ASSIGN(crawl::PageReader reader,
              open_pages(options, *keys, {options.shard, options.shards}, budget.decoded));
  KITH_ASSIGN(
      bags::ShardBuilder builder,
      bags::ShardBuilder::create(fs, run.scratch(), fragment_options(options), budget.workers,
                                 bag_memory(memory), memory - bag_memory(memory)));
  std::deque<PageWorker> workers;
  for (unsigned worker = 0; worker < budget.workers; ++worker) {
    workers.emplace_back(builder.worker(worker));
  }
  const uint64_t bytes_of_key = bytes_of_page_key + (options.aliases ? bytes_of_fetched_key : 0);
  const auto add = [&](unsigned worker, const crawl::PageBatch& batch,
                       const crawl::Page& page) -> Status {
    KITH_TRY(check_pages(memory, keys->size(), bytes_of_key, builder.alias_bytes()));
    return workers[worker].add(batch.sequence, page);
  };
  KITH_TRY(read_pages(reader, budget, pool, progress, add,
                      [&](unsigned worker) { workers[worker].forget_buffers(); }));
  workers.clear();
  keys.reset();
  const crawl::CrawlReport crawl = reader.report();
  std::vector<uint32_t> example_inputs;
  for (const crawl::SkipExample& example : crawl.examples) {
    example_inputs.push_back(example.file_number);
  }
  KITH_ASSIGN(const bags::FragmentCounts counts,
              builder.finish(run.file(shard_file), reader.files(), example_inputs, pool));
  run.report().crawl = counts_of(crawl);
  run.report().text = counts;
  run.report().aliases = alias_report(counts, {});
  return Status::ok();
}

}  // namespace kith::pipeline
