// Pages of the crawl as values: their texts, words and links.
#include "kith/pages.h"

#include <optional>
#include <utility>

#include "kith/extract.h"

#include "api/batch.h"
#include "base/bytes.h"
#include "base/dates.h"
#include "crawl/read/batch_decoder.h"
#include "crawl/read/http.h"
#include "crawl/read/page.h"
#include "run/pages.h"
#include "text/url/url.h"
#include "text/url/url_rules.h"
#include "text/words/language.h"
#include "text/words/terms.h"
#include "text/words/words.h"

namespace kith::api {
namespace {

uint64_t count_words(std::string_view text) {
  text::WordSplitter splitter;
  std::string_view word;
  uint32_t offset = 0;
  uint64_t words = 0;
  splitter.reset(text);
  while (splitter.next(word, offset)) ++words;
  return words;
}

void append(std::string_view word, uint32_t offset, Words& words) {
  words.bytes += word;
  words.offsets.push_back(words.bytes.size());
  words.places.push_back(offset);
}

// An error of kind usage unless kith knows the language or it is empty.
Status check_language(std::string_view language) {
  if (language.empty() || text::language_of_tag(language)) return Status::ok();
  return usage(fmt::format(
      "language {}: no stemmer or stop words of that language; name one by its tag or its English "
      "name",
      language));
}

// Replaces `words` by those of a text.
void read_words(std::string_view text, Words& words) {
  words = {};
  text::WordSplitter splitter;
  std::string_view word;
  uint32_t offset = 0;
  splitter.reset(text);
  while (splitter.next(word, offset)) append(word, offset, words);
}

void read_terms(std::string_view text, text::Language language, Words& terms) {
  terms = {};
  text::WordSplitter splitter;
  text::Stemmer stemmer;
  std::string_view word;
  uint32_t offset = 0;
  splitter.reset(text);
  while (splitter.next(word, offset)) {
    if (text::is_stop_word(language, word)) continue;
    append(stemmer.stem(language, word), offset, terms);
  }
}

}  // namespace

// One worker's; its buffers are reused. Not thread-safe.
class PageTextReader {
 public:
  // The language of the options is known.
  explicit PageTextReader(const ExtractOptions& options, text::UrlRules rules = {})
      : words_(options.words),
        language_(text::language_of_tag(options.language)),
        rules_(std::move(rules)) {}

  // page: no redirect.
  ExtractedPage read(const crawl::Page& page);

 private:
  void read_links(const crawl::Page& page, const text::HtmlText& html, ExtractedPage& out);

  const bool words_;
  const std::optional<text::Language> language_;
  const text::UrlRules rules_;  // of links
  run::PageText text_;
  text::Url url_;
  text::Url base_;
  text::Url link_;
};

ExtractedPage PageTextReader::read(const crawl::Page& page) {
  const text::HtmlText& html = text_.read(page);
  ExtractedPage out;
  out.text = html.text;
  out.title = page.title.empty() ? std::string_view(html.title) : page.title;
  out.charset = text_.charset();
  out.language =
      text::stemmer_tag(language_ ? *language_ : text::detect_language(html.language, html.text));
  out.media_type = page.media_type;
  if (out.media_type.empty()) {
    out.media_type = page.kind == crawl::PageKind::text ? "text/plain" : "text/html";
  }
  out.further_links = html.further_links;
  out.word_count = count_words(out.title);
  if (words_) {
    read_words(html.text, out.words);
    out.word_count += out.words.size();
  } else {
    out.word_count += count_words(html.text);
  }
  read_links(page, html, out);
  return out;
}

void PageTextReader::read_links(const crawl::Page& page, const text::HtmlText& html,
                                ExtractedPage& out) {
  const bool has_url = text::parse_url(page.url, nullptr, url_);
  const text::Url* const own = has_url ? &url_ : nullptr;
  const bool has_base = !html.base_href.empty() && text::parse_url(html.base_href, own, base_);
  const text::Url* const base = has_base ? &base_ : own;
  out.links.reserve(html.links.size());
  for (const text::HtmlLink& link : html.links) {
    PageLink one;
    one.href = html.href(link);
    if (text::parse_url(one.href, base, link_)) {
      rules_.apply(link_);
      one.url = link_.href;
    }
    one.text_begin = link.text_begin;
    one.text_end = link.text_end;
    out.links.push_back(std::move(one));
  }
}

}  // namespace kith::api

namespace kith {
namespace {

// What the bytes are read as. An error when they are no text by their media type.
Result<crawl::Page> page_of(const PageBytes& bytes) {
  if (bytes.bytes.size() > text::max_html_bytes) {
    return api::usage(fmt::format("{}: is {} bytes long, more than {}", bytes.url,
                                  bytes.bytes.size(), text::max_html_bytes));
  }
  crawl::Page page;
  page.body = bytes.bytes;
  page.url = bytes.url;
  const crawl::MediaType type = crawl::parse_media_type(bytes.content_type);
  page.media_type = type.essence;
  page.charset = type.charset;
  const std::optional<crawl::PageKind> kind = crawl::page_kind(type.essence);
  if (!kind && !type.essence.empty()) {
    return api::usage(
        fmt::format("{}: {} is neither HTML, XHTML nor plain text", bytes.url, type.essence));
  }
  const bool is_markup = crawl::begins_with_markup(bytes.bytes);
  page.kind = kind.value_or(is_markup ? crawl::PageKind::html : crawl::PageKind::text);
  return page;
}

}  // namespace

Result<ExtractedPage> extract(const PageBytes& page, const ExtractOptions& options) {
  KITH_ASSIGN(auto pages, extract(std::span(&page, 1), options, 1));
  return std::move(pages.front());
}

Result<std::vector<Result<ExtractedPage>>> extract(std::span<const PageBytes> pages,
                                                   const ExtractOptions& options,
                                                   unsigned threads) {
  KITH_TRY(api::check_language(options.language));
  std::vector<std::optional<Result<ExtractedPage>>> outcomes;
  const auto read = [&](size_t begin, size_t end) {
    api::PageTextReader reader(options);
    for (size_t i = begin; i < end; ++i) {
      const Result<crawl::Page> page = page_of(pages[i]);
      outcomes[i].emplace(page ? Result<ExtractedPage>(reader.read(*page)) : page.error());
    }
    return Status::ok();
  };
  std::vector<Result<ExtractedPage>> results;
  const Status done = run::guarded([&]() -> Status {
    constexpr size_t pages_per_chunk = 8;
    outcomes.resize(pages.size());
    KITH_TRY(api::for_chunks(pages.size(), pages_per_chunk, threads, read));
    results.reserve(pages.size());
    for (auto& outcome : outcomes) results.push_back(std::move(*outcome));
    return Status::ok();
  });
  KITH_TRY(done);
  return results;
}

Result<Words> split_words(std::string_view text) {
  Words words;
  const Status done = run::guarded([&]() -> Status {
    KITH_TRY(text::check_size(text));
    api::read_words(text, words);
    return Status::ok();
  });
  KITH_TRY(done);
  return words;
}

Result<Words> split_terms(std::string_view text, std::string_view language) {
  Words terms;
  const Status done = run::guarded([&]() -> Status {
    KITH_TRY(text::check_size(text));
    const bool is_other = language == text::language_tag(text::Language::other);
    if (!is_other) KITH_TRY(api::check_language(language));
    api::read_terms(text, text::language_of_tag(language).value_or(text::Language::other), terms);
    return Status::ok();
  });
  KITH_TRY(done);
  return terms;
}

struct PageReader::State {
  State(crawl::PageReader from, std::unique_ptr<PageKeys> of_taken, const ReadOptions& options,
        bool words)
      : keys(std::move(of_taken)),
        reader(std::move(from)),
        text({options.language, words}, text::UrlRules::of_valid(options.url_rules)) {}

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

  std::unique_ptr<PageKeys> keys;  // what the reader refers to stays in its place
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
    auto keys = std::make_unique<PageKeys>();
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
    next->date = date_text(page->time);
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
