// kith::list_pages: every page of a crawl as a row.
#include "kith/crawl.h"

#include "run/guarded.h"
#include "run/pages.h"
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
  run::PageKeys keys;
  KITH_ASSIGN(crawl::PageReader reader, run::open_pages(options, keys));
  RowMaker maker(options);
  crawl::PageBatch batch;
  for (bool more = true; more;) {
    KITH_ASSIGN(more, reader.next(batch));
    for (const crawl::Page& page : batch.pages) {
      if (page.kind == crawl::PageKind::redirect) continue;
      if (!take(maker.row(page))) return run::counts_of(reader.report());
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

}  // namespace kith
