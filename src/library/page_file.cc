// kith::PageFile: the pages of a file of a crawl on their way to words.
#include <utility>

#include "kith/bag_steps.h"

#include "base/hash.h"
#include "crawl/read/page_reader.h"
#include "library/batch.h"
#include "library/page_words.h"
#include "run/pages.h"

namespace kith {

struct PageFile::State {
  std::unique_ptr<pipeline::PageKeys> keys;  // what the reader refers to stays in its place
  std::optional<crawl::PageReader> reader;
  crawl::PageBatch batch;
  bool is_at_end = false;

  // Calls visit(page) for the pages of the next batch; false at the end.
  template <class Visit>
  Result<bool> for_batch(const Visit& visit) {
    if (is_at_end) return false;
    auto more = reader->next(batch);
    is_at_end = !more || !*more;
    if (!more) return more.error();
    for (const crawl::Page& page : batch.pages) {
      if (page.kind != crawl::PageKind::redirect) visit(page);
    }
    return *more;
  }
};

PageFile::PageFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
PageFile::~PageFile() = default;
PageFile::PageFile(PageFile&&) noexcept = default;
PageFile& PageFile::operator=(PageFile&&) noexcept = default;

Result<std::vector<std::string>> PageFile::list(const ReadOptions& options) {
  KITH_TRY(validate(options));
  return pipeline::guarded([&]() -> Result<std::vector<std::string>> {
    KITH_ASSIGN(crawl::CrawlOptions crawl, pipeline::crawl_options(options));
    // Of the files none but the first is looked at.
    crawl.share = {1, UINT32_MAX};
    KITH_ASSIGN(const crawl::PageReader reader, crawl::PageReader::open(crawl, {}));
    return reader.files();
  });
}

Result<PageFile> PageFile::open(const ReadOptions& options,
                                std::span<const std::string_view> taken) {
  KITH_TRY(validate(options));
  return pipeline::guarded([&]() -> Result<PageFile> {
    auto state = std::make_unique<State>();
    state->keys = std::make_unique<pipeline::PageKeys>();
    for (const std::string_view url : taken) state->keys->add(hash128(url));
    KITH_ASSIGN(state->reader, pipeline::open_pages(options, *state->keys));
    return PageFile(std::move(state));
  });
}

Result<StringList> PageFile::next_urls() {
  return pipeline::guarded([&]() -> Result<StringList> {
    StringList urls;
    bool more = true;
    while (more && urls.size() == 0) {
      KITH_ASSIGN(more, state_->for_batch([&](const crawl::Page& page) { urls.add(page.url); }));
    }
    return urls;
  });
}

Result<FilePages> PageFile::next_words(const BagSteps& steps, uint64_t pages, uint64_t bytes) {
  return pipeline::guarded([&]() -> Result<FilePages> {
    FilePages some;
    library::PageWordReader reader(steps.options());
    uint64_t read = 0;
    bool more = true;
    while (more && some.urls.size() < pages && read < bytes) {
      KITH_ASSIGN(more, state_->for_batch([&](const crawl::Page& page) {
        some.urls.add(page.url);
        read += page.body.size();
        reader.add(page);
      }));
    }
    some.words = reader.take();
    return some;
  });
}

CrawlCounts PageFile::counts() const {
  return pipeline::counts_of(state_->reader->report());
}

}  // namespace kith
