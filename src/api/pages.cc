#include "kith/pages.h"

#include <utility>

#include "api/batch.h"
#include "api/page_text.h"
#include "run/pages.h"

namespace kith {

struct PageReader::State {
  State(crawl::PageReader from, std::unique_ptr<run::PageKeys> of_taken, const ReadOptions& options,
        bool words)
      : keys(std::move(of_taken)), reader(std::move(from)), text({options.language, words}) {}

  // The next page of the batch that is no redirect; null at its end.
  const crawl::Page* next_of_batch() {
    while (at < batch.pages.size()) {
      const crawl::Page& page = batch.pages[at++];
      if (page.kind != crawl::PageKind::redirect) return &page;
    }
    return nullptr;
  }

  Result<const crawl::Page*> next() {
    for (;;) {
      if (const crawl::Page* const page = next_of_batch()) return page;
      if (!more) return nullptr;
      at = 0;
      auto read = reader.next(batch);
      more = read && *read;
      if (!read) {
        batch.pages.clear();
        return read.error();
      }
    }
  }

  std::unique_ptr<run::PageKeys> keys;  // what the reader refers to stays in its place
  crawl::PageReader reader;
  api::PageTextReader text;
  crawl::PageBatch batch;
  size_t at = 0;     // the next page of the batch
  bool more = true;  // batches may follow
};

PageReader::PageReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
PageReader::~PageReader() = default;
PageReader::PageReader(PageReader&&) noexcept = default;
PageReader& PageReader::operator=(PageReader&&) noexcept = default;

Result<PageReader> PageReader::open(const ReadOptions& options, bool words) {
  KITH_TRY(validate(options));
  std::unique_ptr<State> state;
  const Status done = run::guarded([&]() -> Status {
    auto keys = std::make_unique<run::PageKeys>();
    KITH_ASSIGN(crawl::PageReader reader, run::open_pages(options, *keys));
    state = std::make_unique<State>(std::move(reader), std::move(keys), options, words);
    return Status::ok();
  });
  KITH_TRY(done);
  return PageReader(std::move(state));
}

Result<std::optional<CrawledPage>> PageReader::next() {
  std::optional<CrawledPage> next;
  const Status done = run::guarded([&]() -> Status {
    KITH_ASSIGN(const crawl::Page* const page, state_->next());
    if (page == nullptr) return Status::ok();
    next.emplace();
    static_cast<ExtractedPage&>(*next) = state_->text.read(*page);
    next->url = page->url;
    next->status = page->status;
    next->is_cut = page->is_cut;
    return Status::ok();
  });
  KITH_TRY(done);
  return next;
}

uint64_t PageReader::bytes_done() const {
  return state_->reader.bytes_done();
}

uint64_t PageReader::bytes_total() const {
  return state_->reader.bytes_total();
}

CrawlCounts PageReader::counts() const {
  return run::counts_of(state_->reader.report());
}

}  // namespace kith
