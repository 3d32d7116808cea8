#include "answers/document_texts.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/hash.h"
#include "jobs/dedup/read.h"
#include "run/pages.h"
#include "text/words/shingles.h"

namespace kith::answers {
namespace {

DocumentText no_text(std::string reason) {
  return {DocumentText::State::none, {}, std::move(reason)};
}

}  // namespace

Result<DocumentTexts> DocumentTexts::make(const DedupOptions& options,
                                          const jobs::DocumentTable& documents) {
  KITH_ASSIGN(crawl::CrawlOptions crawl, jobs::document_options(options));
  // Damage was counted when the run was made.
  crawl.strict = false;
  return DocumentTexts(options, documents, std::move(crawl));
}

// Elements tell, unless some of the text were left out of them.
bool DocumentTexts::is_as_read(uint32_t id, std::string_view text) const {
  const jobs::Document& document = (*documents_)[id];
  if (static_cast<uint32_t>(text.size()) != document.bytes) return false;
  const bool are_all = options_->boilerplate == Boilerplate::keep && options_->max_documents == 0;
  if (!are_all || document.fingerprint == 0) return true;
  text::Shingler shingler(jobs::shingle_options(*options_));
  std::vector<uint64_t> elements;
  shingler.elements(text, elements);
  return hash64(std::as_bytes(std::span<const uint64_t>(elements))) == document.fingerprint;
}

Result<DocumentText> DocumentTexts::read(uint32_t id, std::chrono::milliseconds patience) const {
  KITH_TRY(documents_->check(id));
  const jobs::Document& document = (*documents_)[id];
  const std::string path(documents_->file(document.file));
  if (path == "-") {
    return no_text("The run was made of its standard input, which cannot be read again.");
  }
  // Where the input lies is for the owner of the run.
  const std::string name = std::filesystem::path(path).filename().string();
  std::string text;
  const auto found = finder_->find(path, document.record, patience, [&](const crawl::Page& page) {
    run::PageText reader;
    text = reader.read(page).text;
  });
  if (!found) {
    if (found.error().kind == ErrorKind::memory) return found.error();
    return no_text(fmt::format("The input {} is not where it was, or cannot be read.", name));
  }
  if (*found == crawl::PageSearch::interrupted) {
    return DocumentText{DocumentText::State::unfinished, {}, {}};
  }
  if (*found == crawl::PageSearch::too_far) {
    return no_text(fmt::format(
        "The input {} can be read from its beginning only, and the document lies too far in it.",
        name));
  }
  if (*found == crawl::PageSearch::missing || !is_as_read(id, text)) {
    return no_text(fmt::format("The input {} has changed since the run was made.", name));
  }
  return DocumentText{DocumentText::State::found, std::move(text), {}};
}

}  // namespace kith::answers
