#include "kith/extract.h"

#include <optional>
#include <utility>

#include "api/batch.h"
#include "api/page_text.h"
#include "base/ascii.h"
#include "crawl/read/batch_builder.h"
#include "crawl/read/http.h"
#include "run/pages.h"
#include "text/words/text_size.h"

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

}  // namespace kith
