// The stage that makes bags: read pages, copy the bags of another run, or go in parts.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kith/options.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/status.h"

#include "bags/bag_builder.h"
#include "base/budget.h"
#include "base/hash.h"
#include "base/parallel/thread_pool.h"
#include "crawl/read/page_reader.h"
#include "jobs/cluster/run_directory.h"
#include "run/memory_budget.h"
#include "run/pages.h"
#include "storage/file_system.h"
#include "text/url/url.h"

namespace kith::jobs {

// Reading pages into what makes bags or a shard of them: the front of both stages.

// What has read all pages, and what they were given to.
template <class Builder>
struct PagesRead {
  crawl::PageReader reader;
  Builder builder;
  std::vector<Key128> revisits = {};  // of the URLs that revisits name, once for each, in no order
  uint64_t lost_revisits = 0;         // of these, URLs without a page
};

// Reads the pages of a reader into the builder that make(budget, reader) returns, until the keys,
// which are those of the reader, have a better capture: then all is to be read again.
// add(worker, batch, page, url, text) gives a page to a worker of the builder.
template <class Builder, class Make, class Add>
Result<PagesRead<Builder>> read_once(const ClusterOptions& options, crawl::PageReader reader,
                                     const PageKeys& keys, ThreadPool& pool, const Budget& memory,
                                     const ProgressCallback& progress, const Make& make,
                                     const Add& add) {
  // One worker's way from a page's bytes to its text; its buffers are reused.
  struct alignas(worker_alignment) Reading {
    std::optional<run::PageText> text{std::in_place};
    text::Url url;
    text::Url original;  // of a revisit
    std::vector<Key128> revisits;
  };
  constexpr uint64_t bytes_of_revisit = 3 * sizeof(Key128);  // in lists that grow, and in all
  std::atomic<uint64_t> revisits = 0;
  const run::ReadingBudget budget = run::reading_budget(memory, options.max_page, pool.size());
  KITH_ASSIGN(Builder builder, make(budget, reader));
  std::deque<Reading> workers(budget.workers);
  const uint64_t bytes_of_key =
      run::bytes_of_page_key + (folds_aliases(options) ? run::bytes_of_fetched_key : 0);
  const auto add_page = [&](unsigned worker, const crawl::PageBatch& batch,
                            const crawl::Page& page) -> Status {
    KITH_TRY(run::check_pages(memory, keys.size(), bytes_of_key,
                              builder.alias_bytes() + revisits * bytes_of_revisit));
    if (keys.has_better()) return Status::ok();
    Reading& own = workers[worker];
    // The reader admits only pages with a URL or a name; redirects it does not admit at all.
    const bool has_url = text::parse_url_or_name(page.url, own.url);
    if (page.is_revisit && text::parse_url(page.location, nullptr, own.original)) {
      own.revisits.push_back(hash128(own.original.href));
      ++revisits;
    }
    if (page.kind == crawl::PageKind::redirect) {
      return has_url ? builder.worker(worker).add_redirect(own.url, page.location) : Status::ok();
    }
    return add(builder.worker(worker), batch, page, own.url, own.text->read(page));
  };
  const auto forget = [&](unsigned worker) {
    workers[worker].text.emplace();
    builder.worker(worker).forget_buffers();
  };
  KITH_TRY(run::read_pages(reader, budget, pool, progress, add_page, forget));
  PagesRead<Builder> pages{std::move(reader), std::move(builder)};
  for (const Reading& worker : workers) {
    pages.revisits.insert(pages.revisits.end(), worker.revisits.begin(), worker.revisits.end());
  }
  for (const Key128& url : pages.revisits) pages.lost_revisits += keys.contains(url) ? 0 : 1;
  return pages;
}

// Reads the best captures of a share of the inputs into the builder, as read_once(). Where better
// ones come later in the input, it reads all twice: the first captures of a crawl nearly always
// come first. The builder has its files in run.scratch().
template <class Builder, class Make, class Add>
Result<PagesRead<Builder>> read_into(RunDirectory& run, crawl::Share share, ThreadPool& pool,
                                     const Budget& memory, const ProgressCallback& progress,
                                     const Make& make, const Add& add) {
  const ClusterOptions& options = run.report().options;
  KITH_TRY(run::check_reading_memory(memory, options.max_page));
  PageKeys keys(options.captures);
  const auto open = [&](run::PageChoice choice) {
    const uint64_t decoded = run::reading_budget(memory, options.max_page, pool.size()).decoded;
    return run::open_pages(options, keys, share, decoded, choice);
  };
  const auto read = [&](crawl::PageReader reader) {
    return read_once<Builder>(options, std::move(reader), keys, pool, memory, progress, make, add);
  };
  KITH_ASSIGN(crawl::PageReader reader, open(run::PageChoice::add));
  if (!reader.can_read_again()) {
    if (options.captures != Captures::first) return run::needs_files();
    keys.ignore_dates();
  }
  if (options.captures == Captures::last) {
    KITH_TRY(run::add_captures(reader, keys, memory, pool, progress));
  } else {
    KITH_ASSIGN(PagesRead<Builder> pages, read(std::move(reader)));
    if (!keys.has_better()) return pages;
    KITH_TRY(run.clear_scratch());
  }
  keys.end_adding();
  KITH_ASSIGN(crawl::PageReader again, open(run::PageChoice::take));
  return read(std::move(again));
}

// crawl -> text -> bags: reads the inputs and leaves the url, title, term and bag files.

// The options of a run as those of its bags.
bags::FragmentOptions fragment_options(const ClusterOptions& options);
bags::BagBuilderOptions builder_options(const ClusterOptions& options, const Budget& memory,
                                        unsigned workers, uint64_t input_bytes);

// What was met of aliases, and what was folded.
AliasReport alias_report(const bags::FragmentCounts& met, const AliasReport& folded);
// The months of the crawl part, by the files of the bags stage.
Status count_months(storage::FileSystem& fs, RunDirectory& run);
// The text, aliases and bags parts.
void report_bags(const bags::BagCounts& counts, Report& report);

// Fills in the crawl, text and bags parts of run.report().
Status run_bag_stage(storage::FileSystem& fs, RunDirectory& run, ThreadPool& pool,
                     const Budget& memory, const ProgressCallback& progress);

// The bags of an earlier run as the input of another: `kith cluster RUN -o OTHER`.

// Whether the input is a run directory, whose bags are to be used. An error when it is one input
// among several, or when an input is a shard.
Result<bool> reuses_bags(storage::FileSystem& fs, const ClusterOptions& options);

// Makes the options that decided what the bags hold those of the earlier run; an error when the run
// was asked for with others that are not the defaults.
Status adopt_bag_options(storage::FileSystem& fs, RunDirectory& run);

// Opens the run that is the input and takes over what its report says of crawl, text and bags. An
// error when its bags are damaged.
Result<RunDirectory> open_with_report(storage::FileSystem& fs, Report& report);

// The same, and takes the files of the bags stage over.
Status take_bags(storage::FileSystem& fs, RunDirectory& run);

// Runs in parts: a shard reads its share of a crawl, a merge makes the bags of all shards
// (docs/formats/shards.md).

// Reads the share of the inputs and leaves the file of the shard. Fills in the crawl, text and
// aliases parts of run.report().
Status run_shard_stage(storage::FileSystem& fs, RunDirectory& run, ThreadPool& pool,
                       const Budget& memory, const ProgressCallback& progress);

// All shards of one crawl, in their order. Errors of kind usage: one is missing or there twice;
// other options, inputs or another version made them.
Result<std::vector<RunDirectory>> open_shards(storage::FileSystem& fs,
                                              std::span<const std::string> directories);

// The bags stage of a merge: leaves what run_bag_stage leaves on the whole, in the files and in
// run.report().
Status merge_bag_stage(storage::FileSystem& fs, std::span<const RunDirectory> shards,
                       RunDirectory& run, ThreadPool& pool, const Budget& memory,
                       const ProgressCallback& progress);

}  // namespace kith::jobs
