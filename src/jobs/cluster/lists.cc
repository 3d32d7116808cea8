// kith::list_pages: every page of a crawl as a row.
#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/pages.h"

#include "bags/boilerplate/blocks.h"
#include "bags/boilerplate/templates.h"
#include "base/budget.h"
#include "base/bytes.h"
#include "base/dates.h"
#include "run/guarded.h"
#include "run/pages.h"
#include "storage/file_system.h"
#include "text/url/url.h"
#include "text/words/language.h"
#include "text/words/words.h"

namespace kith {
namespace {

class RowMaker {
 public:
  explicit RowMaker(const ReadOptions& options)
      : language_(text::language_of_tag(options.language)) {}

  PageRow row(const crawl::Page& page) {
    const text::HtmlText& text = text_.read(page);
    PageRow row;
    row.url = page.url;
    row.status = page.status;
    row.type = page.media_type;
    if (row.type.empty()) {
      row.type = page.kind == crawl::PageKind::text ? "text/plain" : "text/html";
    }
    row.charset = text_.charset();
    row.language =
        text::stemmer_tag(language_ ? *language_ : text::detect_language(text.language, text.text));
    row.words = count_words(page.title.empty() ? text.title : page.title) + count_words(text.text);
    row.links = text.links.size();
    row.spelled = page.spelled.empty() ? page.url : page.spelled;
    row.date = date_text(page.time);
    row.digest = page.digest;
    row.offset = page.offset;
    row.length = page.length;
    return row;
  }

 private:
  uint64_t count_words(std::string_view text) {
    uint64_t words = 0;
    std::string_view word;
    uint32_t offset = 0;
    splitter_.reset(text);
    while (splitter_.next(word, offset)) ++words;
    return words;
  }

  const std::optional<text::Language> language_;
  run::PageText text_;
  text::WordSplitter splitter_;
};

Result<CrawlCounts> list(const ReadOptions& options,
                         const std::function<bool(const PageRow&)>& take,
                         const ProgressCallback& progress) {
  KITH_TRY(validate(options));
  PageKeys keys;
  KITH_ASSIGN(crawl::PageReader reader, run::open_pages(options, keys));
  RowMaker maker(options);
  crawl::PageBatch batch;
  for (bool more = true; more;) {
    KITH_ASSIGN(more, reader.next(batch));
    for (const crawl::Page& page : batch.pages) {
      if (page.kind == crawl::PageKind::redirect) continue;
      PageRow row = maker.row(page);
      row.file = reader.files()[page.file];
      if (!take(row)) return run::counts_of(reader.report());
    }
    if (progress) {
      progress({"read", static_cast<double>(reader.bytes_done()),
                static_cast<double>(reader.bytes_total()), "bytes"});
    }
  }
  return run::counts_of(reader.report());
}

}  // namespace

Result<CrawlCounts> list_pages(const ReadOptions& options,
                               const std::function<bool(const PageRow&)>& take,
                               const ProgressCallback& progress) {
  const run::StoppingProgress stopping(progress);
  return run::guarded([&] { return list(options, take, stopping.callback()); });
}

// kith::list_templates: the template blocks of every host.
namespace {

constexpr size_t max_text = 200;

// Reads the input several times, one page at a time.
class Pages {
 public:
  Pages(const ReadOptions& options, const ProgressCallback& progress)
      : options_(&options), progress_(&progress) {}

  // Calls visit(page, its text) for every page, its blocks hashed.
  template <class Visit>
  Status for_each(const char* step, const Visit& visit) {
    PageKeys keys;
    KITH_ASSIGN(crawl::PageReader reader, run::open_pages(*options_, keys));
    crawl::PageBatch batch;
    for (bool more = true; more;) {
      KITH_ASSIGN(more, reader.next(batch));
      for (const crawl::Page& page : batch.pages) {
        if (page.kind == crawl::PageKind::redirect) continue;
        const text::HtmlText& text = text_.read(page);
        digest_.url = page.url;
        blocks_.read(text, digest_.blocks);
        KITH_TRY(visit(digest_, text.text));
      }
      if (*progress_) {
        (*progress_)({step, static_cast<double>(reader.bytes_done()),
                      static_cast<double>(reader.bytes_total()), "bytes"});
      }
    }
    counts_ = run::counts_of(reader.report());
    return Status::ok();
  }

  // Where each word of the last page begins.
  const std::vector<uint32_t>& offsets() const { return blocks_.offsets(); }
  // Of the last time that all pages were read.
  const CrawlCounts& counts() const { return counts_; }

 private:
  const ReadOptions* options_;
  const ProgressCallback* progress_;
  run::PageText text_;
  bags::BlockReader blocks_;
  bags::PageDigest digest_;
  CrawlCounts counts_;
};

// The template blocks of all hosts, and how often they were met.
class Listing {
 public:
  explicit Listing(const bags::Templates& templates) : templates_(&templates) {}

  void add(const bags::PageDigest& page, std::string_view text,
           const std::vector<uint32_t>& offsets) {
    const bags::Sites sites = bags::sites_of(page.url);
    const std::string_view host = text::host_of(page.url);
    ++pages_[sites.host()];
    seen_.clear();
    for (size_t i = 0; i < page.blocks.size(); ++i) {
      const bags::Block& block = page.blocks[i];
      if (!templates_->is_template(sites, block.hash)) continue;
      const uint64_t key = bags::Templates::key_of(sites.host(), block.hash);
      if (std::ranges::find(seen_, key) != seen_.end()) continue;
      seen_.push_back(key);
      TemplateBlock& met = blocks_[key];
      if (met.pages++ > 0) continue;
      const size_t end = i + 1 < page.blocks.size() ? page.blocks[i + 1].begin : offsets.size();
      met.host = host;
      met.words = end - block.begin;
      met.text = cut_utf8(text_of(text, offsets, block.begin, end), max_text);
    }
  }

  std::vector<TemplateBlock> sorted() const {
    std::vector<TemplateBlock> blocks;
    for (const auto& [key, block] : blocks_) {
      blocks.push_back(block);
      blocks.back().of = pages_.at(hash64(block.host));
    }
    std::ranges::sort(blocks, [](const TemplateBlock& a, const TemplateBlock& b) {
      return std::tie(a.host, b.pages, a.text) < std::tie(b.host, a.pages, b.text);
    });
    return blocks;
  }

 private:
  static std::string_view text_of(std::string_view text, const std::vector<uint32_t>& offsets,
                                  size_t begin, size_t end) {
    text = text.substr(0, end < offsets.size() ? offsets[end] : text.size());
    text.remove_prefix(offsets[begin]);
    return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  }

  const bags::Templates* templates_;
  boost::unordered_flat_map<uint64_t, TemplateBlock> blocks_;
  boost::unordered_flat_map<uint64_t, uint64_t> pages_;  // of every host
  std::vector<uint64_t> seen_;                           // on the page
};

Result<CrawlCounts> list(const ReadOptions& options, const std::string& scratch,
                         const std::function<bool(const TemplateBlock&)>& take,
                         const ProgressCallback& progress) {
  KITH_TRY(validate(options));
  if (std::ranges::find(options.inputs, "-") != options.inputs.end()) {
    return Error{ErrorKind::usage,
                 "the input is read several times for template blocks; name files or folders"};
  }
  Pages pages(options, progress);
  ThreadPool pool(1);
  const bags::ForEachPage for_each_page = [&](const bags::WantsBlocks&,
                                              const bags::VisitPage& visit) {
    return pages.for_each(
        "read", [&](const bags::PageDigest& page, std::string_view) { return visit(0, page); });
  };
  const auto templates = bags::find_templates(
      storage::posix_file_system(), pool, for_each_page,
      {.scratch = scratch + "/templates-", .memory = Budget(run::memory_or_default(0))});
  if (!templates && templates.error().kind == ErrorKind::usage) {
    return Error{ErrorKind::usage,
                 "the template blocks of all hosts do not fit the memory; name fewer inputs"};
  }
  KITH_TRY(templates.status());
  Listing listing(*templates);
  KITH_TRY(pages.for_each("read", [&](const bags::PageDigest& page, std::string_view text) {
    listing.add(page, text, pages.offsets());
    return Status::ok();
  }));
  for (const TemplateBlock& block : listing.sorted()) {
    if (!take(block)) break;
  }
  return pages.counts();
}

}  // namespace

Result<CrawlCounts> list_templates(const ReadOptions& options, const std::string& scratch,
                                   const std::function<bool(const TemplateBlock&)>& take,
                                   const ProgressCallback& progress) {
  const run::StoppingProgress stopping(progress);
  return run::guarded([&] { return list(options, scratch, take, stopping.callback()); });
}

}  // namespace kith
