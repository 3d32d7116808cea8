// kith::PageFile: the pages of a file of a crawl on their way to words.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kith/bag_steps.h"
#include "kith/crawl_steps.h"

#include "api/batch.h"
#include "bags/boilerplate/blocks.h"
#include "bags/boilerplate/sites.h"
#include "bags/boilerplate/templates.h"
#include "base/hash.h"
#include "crawl/read/page_reader.h"
#include "distributed/page_fragments.h"
#include "distributed/page_words.h"
#include "run/pages.h"

namespace kith {

struct PageFile::State {
  std::unique_ptr<run::PageKeys> keys;  // what the reader refers to stays in its place
  std::optional<crawl::PageReader> reader;
  crawl::PageBatch batch;
  bool is_at_end = false;
  bool samples_sites = false;
  bags::SiteSamples samples;
  run::PageText text;  // for the blocks of samples
  bags::BlockReader block_reader;
  std::vector<bags::Block> blocks;
  bags::Templates templates;
  std::unique_ptr<distributed::PageFilter> filter;  // of the words; null where all count
  AliasReport aliases;                              // met

  // Calls visit(page) for the pages of the next batch, redirects included; false at the end.
  template <class Visit>
  Result<bool> for_all(const Visit& visit) {
    if (is_at_end) return false;
    auto more = reader->next(batch);
    is_at_end = !more || !*more;
    if (!more) return more.error();
    for (const crawl::Page& page : batch.pages) visit(page);
    return *more;
  }
  // The same but for redirects.
  template <class Visit>
  Result<bool> for_batch(const Visit& visit) {
    return for_all([&](const crawl::Page& page) {
      if (page.kind != crawl::PageKind::redirect) visit(page);
    });
  }

  void count_aliases(const bags::FragmentCounts& counts) {
    aliases.canonical += counts.aliases[static_cast<size_t>(bags::AliasKind::canonical)];
    aliases.refresh += counts.aliases[static_cast<size_t>(bags::AliasKind::refresh)];
    aliases.redirect += counts.aliases[static_cast<size_t>(bags::AliasKind::redirect)];
  }

  void sample(const crawl::Page& page) {
    block_reader.read(text.read(page), blocks);
    samples.add(page.url, blocks);
  }

  // Made for the first words.
  distributed::PageFilter* filter_for(const BagStepOptions& options) {
    if (options.boilerplate == Boilerplate::remove && !filter) {
      filter = std::make_unique<distributed::PageFilter>(std::move(templates));
    }
    return filter.get();
  }
};

PageFile::PageFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
PageFile::~PageFile() = default;
PageFile::PageFile(PageFile&&) noexcept = default;
PageFile& PageFile::operator=(PageFile&&) noexcept = default;

Result<std::vector<std::string>> PageFile::list(const ReadOptions& options) {
  KITH_TRY(validate(options));
  return run::guarded([&]() -> Result<std::vector<std::string>> {
    KITH_ASSIGN(crawl::CrawlOptions crawl, run::crawl_options(options));
    // Of the files none but the first is looked at.
    crawl.share = {1, UINT32_MAX};
    KITH_ASSIGN(const crawl::PageReader reader, crawl::PageReader::open(crawl, {}));
    return reader.files();
  });
}

Result<PageFile> PageFile::open(const ReadOptions& options, const PageFileOptions& given) {
  KITH_TRY(validate(options));
  return run::guarded([&]() -> Result<PageFile> {
    auto state = std::make_unique<State>();
    state->keys = std::make_unique<run::PageKeys>();
    for (const std::string_view url : given.taken) state->keys->add(hash128(url));
    for (const std::string_view hosts : given.templates) {
      if (!state->templates.add(hosts)) {
        return Error{ErrorKind::corrupt, "templates of sites: these are no bytes of templates"};
      }
    }
    state->samples_sites = given.sample_sites;
    KITH_ASSIGN(state->reader, run::open_pages(options, *state->keys));
    return PageFile(std::move(state));
  });
}

Result<StringList> PageFile::next_urls() {
  return run::guarded([&]() -> Result<StringList> {
    StringList urls;
    bool more = true;
    while (more && urls.size() == 0) {
      KITH_ASSIGN(more, state_->for_batch([&](const crawl::Page& page) {
        urls.add(page.url);
        if (state_->samples_sites) state_->sample(page);
      }));
    }
    return urls;
  });
}

std::vector<std::string> PageFile::site_samples(uint32_t file, uint32_t slices) {
  return state_->samples.take(file, slices);
}

Result<SiteTemplates> PageFile::site_templates(std::span<const std::string_view> samples) {
  return run::guarded([&]() -> Result<SiteTemplates> {
    KITH_ASSIGN(const bags::SliceTemplates found, bags::site_templates(samples));
    SiteTemplates templates;
    templates.blocks = found.blocks;
    for (const bags::FileTemplates& file : found.files) {
      templates.files.push_back(file.file);
      templates.templates.add(file.bytes);
    }
    return templates;
  });
}

Result<FilePages> PageFile::next_words(const BagSteps& steps, uint64_t pages, uint64_t bytes) {
  return run::guarded([&]() -> Result<FilePages> {
    FilePages some;
    distributed::PageWordReader reader(steps.options(), state_->filter_for(steps.options()));
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

Result<FileFragments> PageFile::next_fragments(const BagSteps& steps, uint64_t pages,
                                               uint64_t bytes, uint32_t slices) {
  return run::guarded([&]() -> Result<FileFragments> {
    distributed::FragmentReader reader(steps.options(), state_->filter_for(steps.options()));
    Status status;
    uint64_t count = 0;
    uint64_t read = 0;
    bool more = true;
    while (more && count < pages && read < bytes) {
      KITH_ASSIGN(more, state_->for_all([&](const crawl::Page& page) {
        ++count;
        read += page.body.size();
        if (status) status = reader.add(page);
      }));
      KITH_TRY(status);
    }
    state_->count_aliases(reader.counts());
    KITH_ASSIGN(FileFragments found, reader.take(slices));
    found.pages = count;
    return found;
  });
}

AliasReport PageFile::aliases() const {
  return state_->aliases;
}

BoilerplateReport PageFile::boilerplate() const {
  return state_->filter ? state_->filter->counts() : BoilerplateReport();
}

CrawlCounts PageFile::counts() const {
  return run::counts_of(state_->reader->report());
}

}  // namespace kith
