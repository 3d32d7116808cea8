// Reading pages into what makes bags or a shard of them: the front of both stages.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "kith/options.h"
#include "kith/progress.h"
#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "crawl/read/page_reader.h"
#include "run/memory_budget.h"
#include "run/pages.h"
#include "text/url/url.h"

namespace kith::jobs {

// What has read all pages, and what they were given to.
template <class Builder>
struct PagesRead {
  crawl::PageReader reader;
  Builder builder;
};

// Reads a share of the inputs into the builder that make(budget, reader) returns.
// add(worker, batch, page, url, text) gives a page to a worker of the builder.
template <class Builder, class Make, class Add>
Result<PagesRead<Builder>> read_into(const ClusterOptions& options, crawl::Share share,
                                     ThreadPool& pool, uint64_t memory,
                                     const ProgressCallback& progress, const Make& make,
                                     const Add& add) {
  // One worker's way from a page's bytes to its text; its buffers are reused.
  struct alignas(worker_alignment) Reading {
    std::optional<run::PageText> text{std::in_place};
    text::Url url;
  };
  KITH_TRY(run::check_reading_memory(memory, options.max_page));
  const run::ReadingBudget budget = run::reading_budget(memory, options.max_page, pool.size());
  const auto keys = std::make_unique<run::PageKeys>();
  KITH_ASSIGN(crawl::PageReader reader, run::open_pages(options, *keys, share, budget.decoded));
  KITH_ASSIGN(Builder builder, make(budget, reader));
  std::deque<Reading> workers(budget.workers);
  const uint64_t bytes_of_key =
      run::bytes_of_page_key + (folds_aliases(options) ? run::bytes_of_fetched_key : 0);
  const auto add_page = [&](unsigned worker, const crawl::PageBatch& batch,
                            const crawl::Page& page) -> Status {
    KITH_TRY(run::check_pages(memory, keys->size(), bytes_of_key, builder.alias_bytes()));
    Reading& own = workers[worker];
    // The reader admits only pages whose URL parses; redirects it does not admit at all.
    const bool has_url = text::parse_url(page.url, nullptr, own.url);
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
  return PagesRead<Builder>{std::move(reader), std::move(builder)};
}

}  // namespace kith::jobs
