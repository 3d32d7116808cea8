#include "answers/document.h"

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "kith/compare.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "crawl/read/byte_source.h"
#include "jobs/dedup/read.h"
#include "run/guarded.h"
#include "run/pages.h"
#include "text/charset/charset.h"
#include "text/html/html.h"
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
  DedupOptions all = options;
  all.only.clear();  // which are documents was decided when the run was made
  KITH_ASSIGN(crawl::CrawlOptions crawl, jobs::document_options(all));
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

// Files to documents: what they are, and their text.
namespace kith {
namespace {

using namespace std::string_view_literals;

Error refused(std::string_view name, std::string_view why) {
  return Error{ErrorKind::corrupt, fmt::format("{}: {}", name, why)};
}

// Why bytes are no text, and what to do.
std::optional<std::string_view> no_text(std::string_view bytes) {
  if (bytes.starts_with("WARC/"sv)) {
    return "is an archive of a crawl (WARC), not one document; give the page in a file of its own";
  }
  if (bytes.starts_with("\x1f\x8b"sv)) {
    return "is compressed by gzip; unpack it first, as in 'gzip -dc A.gz | kith compare - B'";
  }
  if (bytes.starts_with("\x28\xb5\x2f\xfd"sv)) {
    return "is compressed by zstd; unpack it first, as in 'zstd -dc A.zst | kith compare - B'";
  }
  if (bytes.starts_with("%PDF-"sv)) {
    return "is a PDF; extract its text first, as in 'pdftotext A.pdf - | kith compare - B'";
  }
  const bool utf16 = bytes.starts_with("\xff\xfe"sv) || bytes.starts_with("\xfe\xff"sv);
  if (!utf16 && bytes.find('\0') != std::string_view::npos) {
    return "is binary (it has zero bytes), and neither text nor HTML";
  }
  return std::nullopt;
}

bool begins_with_tag(std::string_view text, std::string_view tag) {
  if (text.size() <= tag.size() || !starts_with_ignoring_case(text, tag)) return false;
  const char next = text[tag.size()];
  return tag == "<!--" || next == '>' || next == '/' || is_ascii_blank(next);
}

// The tags by which browsers know a resource for HTML (WHATWG MIME Sniffing, section 7.1), behind
// an XML declaration, too.
bool looks_like_html(std::string_view bytes) {
  if (bytes.starts_with("\xef\xbb\xbf"sv)) bytes.remove_prefix(3);
  bytes = trim(bytes);
  if (bytes.starts_with("<?xml"sv)) {
    const size_t end = bytes.find("?>");
    if (end == std::string_view::npos) return false;
    bytes = trim(bytes.substr(end + 2));
  }
  constexpr std::array tags = {"<!doctype html"sv,
                               "<html"sv,
                               "<head"sv,
                               "<script"sv,
                               "<iframe"sv,
                               "<h1"sv,
                               "<div"sv,
                               "<font"sv,
                               "<table"sv,
                               "<a"sv,
                               "<style"sv,
                               "<title"sv,
                               "<b"sv,
                               "<body"sv,
                               "<br"sv,
                               "<p"sv,
                               "<meta"sv,
                               "<!--"sv};
  return std::ranges::any_of(tags, [&](auto tag) { return begins_with_tag(bytes, tag); });
}

bool named_html(std::string_view name) {
  const std::string lower = to_ascii_lower(name);
  return lower.ends_with(".html") || lower.ends_with(".htm") || lower.ends_with(".xhtml");
}

Result<std::string> read_all(const std::string& path) {
  KITH_ASSIGN(const auto source, crawl::FileSource::open(path));
  constexpr size_t piece = 1u << 16;
  std::string bytes;
  for (;;) {
    const size_t before = bytes.size();
    const size_t room = std::clamp<size_t>(before, piece, max_document_bytes);
    bytes.resize(before + room);
    KITH_ASSIGN(const size_t n, source->read(std::span(bytes).subspan(before)));
    bytes.resize(before + n);
    if (n == 0) return bytes;
    if (bytes.size() > max_document_bytes) {
      return Error{ErrorKind::usage,
                   fmt::format("{}: is larger than {} MiB, too large for one document", path,
                               max_document_bytes >> 20)};
    }
  }
}

}  // namespace

Result<Document> make_document(std::string_view name, std::string_view bytes,
                               DocumentFormat format) {
  return run::guarded([&]() -> Result<Document> {
    if (const auto why = no_text(bytes)) return refused(name, *why);
    Document document;
    document.name = name;
    document.bytes = bytes.size();
    document.html =
        format == DocumentFormat::html ||
        (format == DocumentFormat::automatic && (named_html(name) || looks_like_html(bytes)));
    std::string buffer;
    const text::Utf8Text utf8 = text::to_utf8(bytes, "", document.html, buffer);
    document.charset = utf8.charset;
    if (document.html) {
      text::HtmlText html;
      text::extract_html(utf8.bytes, html);
      document.text = std::move(html.text);
    } else {
      document.text = utf8.bytes;
    }
    return document;
  });
}

Result<Document> read_document(const std::string& path, DocumentFormat format) {
  return run::guarded([&]() -> Result<Document> {
    KITH_ASSIGN(const std::string bytes, read_all(path));
    return make_document(path == "-" ? "standard input" : path, bytes, format);
  });
}

// Where a passage stands in the other text.
namespace {

// Where the passages of a text begin, ascending, and their numbers.
struct Start {
  uint64_t byte;
  size_t passage;
};

// Of passages without a byte of their own (a blank between words) the last one leads.
std::vector<Start> starts_of(const std::vector<Passage>& passages, bool of_b) {
  std::vector<Start> starts;
  for (size_t i = 0; i < passages.size(); ++i) {
    const Passage& passage = passages[i];
    if (!(of_b ? stands_in_b(passage.kind) : stands_in_a(passage.kind))) continue;
    starts.push_back({(of_b ? passage.b : passage.a).begin, i});
  }
  return starts;
}

// The passage in which a byte lies. `starts` has one at or before it.
size_t passage_at(const std::vector<Start>& starts, uint64_t byte) {
  const auto after = std::ranges::upper_bound(starts, byte, {}, &Start::byte);
  return after == starts.begin() ? starts.front().passage : (after - 1)->passage;
}

}  // namespace

bool stands_in_a(PassageKind kind) {
  return kind == PassageKind::shared || kind == PassageKind::only_a ||
         kind == PassageKind::elsewhere_a;
}

bool stands_in_b(PassageKind kind) {
  return kind == PassageKind::shared || kind == PassageKind::only_b ||
         kind == PassageKind::elsewhere_b;
}

std::vector<size_t> twins_of(const std::vector<Passage>& passages) {
  const std::vector<Start> in_a = starts_of(passages, false);
  const std::vector<Start> in_b = starts_of(passages, true);
  std::vector<size_t> twins;
  for (size_t i = 0; i < passages.size(); ++i) {
    const Passage& passage = passages[i];
    if (passage.kind == PassageKind::elsewhere_a) {
      twins.push_back(passage_at(in_b, passage.b.begin));
    } else if (passage.kind == PassageKind::elsewhere_b) {
      twins.push_back(passage_at(in_a, passage.a.begin));
    } else {
      twins.push_back(i);
    }
  }
  return twins;
}

}  // namespace kith
