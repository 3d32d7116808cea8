#include "pipeline/bag_stage.h"

#include <deque>
#include <memory>
#include <optional>

#include "crawl/read/page_reader.h"
#include "run/memory_budget.h"
#include "run/pages.h"
#include "text/url/url.h"
#include "text/words/language.h"

namespace kith::pipeline {
namespace {

// One worker's way from a page's bytes to fragments; its buffers are reused.
class alignas(worker_alignment) PageWorker {
 public:
  explicit PageWorker(bags::BagBuilder::Worker& bags) : bags_(&bags) {}

  Status add(const crawl::Page& page) {
    // The reader admits only pages whose URL parses; redirects it does not admit at all.
    const bool has_url = text::parse_url(page.url, nullptr, url_);
    if (page.kind == crawl::PageKind::redirect) {
      return has_url ? bags_->add_redirect(url_, page.location) : Status::ok();
    }
    return bags_->add(url_, text_->read(page), page.title);
  }

  // Frees what a large page has made the buffers grow to.
  void forget_buffers() {
    text_.emplace();
    bags_->forget_buffers();
  }

 private:
  bags::BagBuilder::Worker* bags_;
  std::optional<PageText> text_{std::in_place};
  text::Url url_;
};

}  // namespace

bags::FragmentOptions fragment_options(const ClusterOptions& options) {
  bags::FragmentOptions fragments;
  fragments.kind = options.bags;
  fragments.links = options.links;
  fragments.count_inlinks = options.order == Order::inlinks;
  fragments.language = text::language_of_tag(options.language);
  fragments.window = options.window;
  fragments.keep_aliases = options.aliases;
  return fragments;
}

bags::BagBuilderOptions builder_options(const ClusterOptions& options, uint64_t memory,
                                        unsigned workers, uint64_t input_bytes) {
  // A crawl compresses about six to one, and half of that comes back as anchor-windows.
  constexpr uint64_t fragments_per_input_byte = 3;
  bags::BagBuilderOptions builder;
  builder.fragments = fragment_options(options);
  builder.dictionary = {options.weighting, options.min_df, options.max_df};
  builder.memory = bag_memory(memory);
  builder.reserved = memory - builder.memory;
  builder.expected_bytes = input_bytes * fragments_per_input_byte;
  builder.workers = workers;
  return builder;
}

AliasReport alias_report(const bags::FragmentCounts& met, const AliasReport& folded) {
  AliasReport report = folded;
  report.canonical = met.aliases[static_cast<size_t>(bags::AliasKind::canonical)];
  report.refresh = met.aliases[static_cast<size_t>(bags::AliasKind::refresh)];
  report.redirect = met.aliases[static_cast<size_t>(bags::AliasKind::redirect)];
  return report;
}

void report_bags(const bags::BagCounts& counts, Report& report) {
  report.text = counts.fragments;
  report.aliases = alias_report(counts.fragments, counts.aliases);
  report.bags = counts.bags;
}

Status run_bag_stage(storage::FileSystem& fs, RunDirectory& run, ThreadPool& pool, uint64_t memory,
                     const ProgressCallback& progress) {
  const ClusterOptions& options = run.report().options;
  KITH_TRY(check_reading_memory(memory, options.max_page));
  const ReadingBudget budget = reading_budget(memory, options.max_page, pool.size());
  auto keys = std::make_unique<PageKeys>();
  KITH_ASSIGN(crawl::PageReader reader, open_pages(options, *keys, {}, budget.decoded));
  KITH_ASSIGN(bags::BagBuilder builder,
              bags::BagBuilder::create(
                  fs, run.scratch(),
                  builder_options(options, memory, budget.workers, reader.bytes_total())));
  std::deque<PageWorker> workers;
  for (unsigned worker = 0; worker < budget.workers; ++worker) {
    workers.emplace_back(builder.worker(worker));
  }
  const uint64_t bytes_of_key = bytes_of_page_key + (options.aliases ? bytes_of_fetched_key : 0);
  const auto add = [&](unsigned worker, const crawl::PageBatch&,
                       const crawl::Page& page) -> Status {
    KITH_TRY(check_pages(memory, keys->size(), bytes_of_key, builder.alias_bytes()));
    return workers[worker].add(page);
  };
  KITH_TRY(read_pages(reader, budget, pool, progress, add,
                      [&](unsigned worker) { workers[worker].forget_buffers(); }));
  workers.clear();
  keys.reset();
  KITH_ASSIGN(const bags::BagCounts counts, builder.finish(pool, run.file(""), [&](double share) {
    if (progress) progress({"bags", share, 1.0, ""});
  }));
  run.report().crawl = counts_of(reader.report());
  report_bags(counts, run.report());
  return Status::ok();
}

}  // namespace kith::pipeline
