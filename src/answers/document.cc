// Files to documents: what they are, and their text.
#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "kith/compare.h"

#include "base/bytes.h"
#include "crawl/read/byte_source.h"
#include "run/guarded.h"
#include "text/charset/charset.h"
#include "text/html/html.h"

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
