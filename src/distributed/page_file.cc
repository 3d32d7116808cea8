#include "distributed/page_file.h"

#include <utility>

#include "base/hash.h"

namespace kith::distributed {

Result<std::vector<std::string>> list_page_files(const ReadOptions& options) {
  KITH_TRY(validate(options));
  KITH_ASSIGN(crawl::CrawlOptions crawl, run::crawl_options(options));
  // Of the files none but the first is looked at.
  crawl.share = {1, UINT32_MAX};
  KITH_ASSIGN(const crawl::PageReader reader, crawl::PageReader::open(crawl, {}));
  return reader.files();
}

Result<std::unique_ptr<PageFile>> PageFile::open(const ClusterOptions& options,
                                                 const PageFileOptions& given) {
  KITH_TRY(validate(static_cast<const ReadOptions&>(options)));
  std::unique_ptr<PageFile> file(new PageFile(options));
  if (given.several.size() != given.ranks.size()) {
    return Error{ErrorKind::corrupt, "captures of a file: as many ranks as URLs are needed"};
  }
  for (size_t i = 0; i < given.ranks.size(); ++i) {
    file->captures_[hash128(given.several[i])] = {given.ranks[i], true};
  }
  bags::Templates templates;
  for (const std::string_view hosts : given.templates) {
    if (templates.add(hosts)) continue;
    return Error{ErrorKind::corrupt, "templates of sites: these are no bytes of templates"};
  }
  file->samples_sites_ = given.sample_sites;
  if (options.boilerplate == Boilerplate::remove) {
    file->filter_ = std::make_unique<PageFilter>(std::move(templates));
  }
  run::CaptureChoice captures([self = file.get()](const Key128& url, int64_t time) {
    return self->take(url, capture_rank(self->options_.captures, time));
  });
  KITH_ASSIGN(file->reader_, run::open_pages(options, std::move(captures)));
  return file;
}

bool PageFile::take(const Key128& url, uint32_t rank) {
  const auto [at, is_new] = captures_.try_emplace(url, Capture{rank, false});
  Capture& known = at->second;
  if (is_new) return true;
  if (known.is_chosen) {
    if (known.rank != rank) return false;
    known.rank = no_capture;  // once
    return true;
  }
  if (!finds_better_ || rank <= known.rank) return false;
  known.rank = rank;
  return true;
}

// Calls visit(page) for the pages of the next batch, redirects included; false at the end.
template <class Visit>
Result<bool> PageFile::for_batch(const Visit& visit) {
  if (is_at_end_) return false;
  auto more = reader_->next(batch_);
  is_at_end_ = !more || !*more;
  if (!more) return more.error();
  for (const crawl::Page& page : batch_.pages) visit(page);
  return *more;
}

Result<FileUrls> PageFile::next_urls() {
  FileUrls found;
  finds_better_ = true;
  bool more = true;
  while (more && found.ranks.empty()) {
    KITH_ASSIGN(more, for_batch([&](const crawl::Page& page) {
                  if (page.kind == crawl::PageKind::redirect) return;
                  found.urls.add(page.url);
                  found.ranks.push_back(capture_rank(options_.captures, page.time));
                  if (!samples_sites_) return;
                  block_reader_.read(text_.read(page), blocks_);
                  samples_.add(page.url, found.ranks.back(), blocks_);
                }));
  }
  return found;
}

Result<FilePages> PageFile::next_words(uint64_t pages, uint64_t bytes) {
  FilePages some;
  PageWordReader reader(options_, filter_.get());
  uint64_t read = 0;
  bool more = true;
  while (more && some.urls.size() < pages && read < bytes) {
    KITH_ASSIGN(more, for_batch([&](const crawl::Page& page) {
                  if (page.kind == crawl::PageKind::redirect) return;
                  some.urls.add(page.url);
                  read += page.body.size();
                  reader.add(page);
                }));
  }
  some.words = reader.take();
  return some;
}

Result<FileFragments> PageFile::next_fragments(uint64_t pages, uint64_t bytes, uint32_t slices) {
  FragmentReader reader(options_, filter_.get());
  Status status;
  uint64_t count = 0;
  uint64_t read = 0;
  bool more = true;
  while (more && count < pages && read < bytes) {
    KITH_ASSIGN(more, for_batch([&](const crawl::Page& page) {
                  ++count;
                  read += page.body.size();
                  if (status) status = reader.add(page);
                }));
    KITH_TRY(status);
  }
  count_aliases(reader.counts());
  KITH_ASSIGN(FileFragments found, reader.take(slices));
  found.pages = count;
  return found;
}

void PageFile::count_aliases(const bags::FragmentCounts& counts) {
  aliases_.canonical += counts.aliases[static_cast<size_t>(bags::AliasKind::canonical)];
  aliases_.refresh += counts.aliases[static_cast<size_t>(bags::AliasKind::refresh)];
  aliases_.redirect += counts.aliases[static_cast<size_t>(bags::AliasKind::redirect)];
}

}  // namespace kith::distributed
