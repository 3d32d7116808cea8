#include "answers/document_texts.h"

#include <bit>
#include <filesystem>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "jobs/dedup/read.h"
#include "run/pages.h"
#include "text/words/shingles.h"

namespace kith::answers {

NameIndex::NameIndex(const jobs::DocumentTable& documents) : documents_(documents) {
  slots_.assign(std::bit_ceil(uint64_t{documents.size()} * 3 / 2 + 2), none);
  for (uint32_t id = 0; id < documents.size(); ++id) {
    uint32_t& slot = slots_[slot_of(documents.name(id))];
    if (slot == none) slot = id;
  }
}

std::optional<uint32_t> NameIndex::find(std::string_view name) const {
  const uint32_t id = slots_[slot_of(name)];
  return id == none ? std::nullopt : std::optional(id);
}

size_t NameIndex::slot_of(std::string_view name) const {
  const size_t mask = slots_.size() - 1;
  size_t at = hash64(as_bytes(name)) & mask;
  while (slots_[at] != none && documents_.name(slots_[at]) != name) at = (at + 1) & mask;
  return at;
}

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
