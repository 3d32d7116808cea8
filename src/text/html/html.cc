#include "text/html/html.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/bytes.h"
#include "text/html/attributes.h"
#include "text/html/scan.h"
#include "text/html/tags.h"
#include "text/html/writer.h"
#include "text/url/url.h"

namespace kith::text {
namespace {

// The attribute of a tag that says something about the text; empty when none does.
constexpr std::string_view wanted_attribute(Tag tag) {
  switch (tag) {
    case Tag::a:
    case Tag::area:
    case Tag::base:
      return "href";
    case Tag::html:
      return "lang";
    case Tag::image:
    case Tag::img:
      return "alt";
    case Tag::annotation_xml:
      return "encoding";
    case Tag::template_:
      return "shadowrootmode";
    default:
      return {};
  }
}

constexpr bool has_raw_text(Tag tag) {
  return tag == Tag::script || tag == Tag::style || tag == Tag::title || tag == Tag::textarea ||
         tag == Tag::unseen || tag == Tag::xmp || tag == Tag::plaintext;
}

// The content types that make an <annotation-xml> an integration point (13.2.6).
bool is_html_type(std::string_view type) {
  return equals_ignoring_case(type, "text/html") ||
         equals_ignoring_case(type, "application/xhtml+xml");
}

// At most max_html_bytes, cut at a character.
std::string_view cut_to_limit(std::string_view html) {
  if (html.size() <= max_html_bytes) return html;
  size_t size = max_html_bytes;
  while (size > 0 && (static_cast<uint8_t>(html[size]) & 0xc0) == 0x80) --size;
  return html.substr(0, size);
}

// Every member function that takes `at` reads there and returns where reading goes on.
class Extractor {
 public:
  Extractor(std::string_view html, HtmlText& out)
      : begin_(html.data()),
        end_(begin_ + html.size()),
        out_(&out),
        text_(out.text, html.size()),
        bounds_(out.block_bounds) {}

  void run();

 private:
  struct Name {
    const TagInfo* tag;
    const char* end;
  };

  const char* read_text(const char* at);
  const char* read_reference_at(const char* at, const char* end, TextWriter& out);
  const char* read_markup(const char* at);
  const char* read_declaration(const char* at);
  const char* read_cdata(const char* at);
  Name read_name(const char* at) const;
  const char* read_start_tag(const char* at);
  const char* skip_tag(const TagInfo& tag, const char* name_end);
  void apply_start_tag(Tag tag, const TagRest& rest);
  const char* read_foreign_start_tag(const TagInfo& tag, const char* name_end);
  const char* read_end_tag(const char* at);
  const char* read_raw_text(Tag tag, std::string_view name, const char* at);

  void put_raw_text(std::string_view raw, bool has_references, TextWriter& out);
  void put_alt(const std::optional<std::string_view>& alt);
  void put_title(std::string_view raw);
  void open_link(const std::optional<std::string_view>& href);
  void close_link();
  bool leaves_foreign(const TagInfo& tag, const char* name_end) const;
  void note_attribute(const std::optional<std::string_view>& raw, bool& is_known,
                      std::string& value);
  void note_target(Tag tag, const char* name_end);

  void open_heading() {
    if (!is_muted()) heading_ = static_cast<uint32_t>(text_.size());
  }
  // Of one that is never closed nothing is known.
  void close_heading() {
    if (!heading_ || is_muted()) return;
    const auto end = static_cast<uint32_t>(text_.size());
    const bool is_wanted = out_->headings.size() < max_headings && *heading_ < end;
    if (is_wanted) out_->headings.push_back({*heading_, end});
    heading_.reset();
  }

  void separate(const TagInfo& tag) {
    if (is_muted()) return;
    text_.put_blank_if(tag.separates);
    bounds_.put_if(tag.is_block, text_.size());
  }
  bool is_muted() const { return template_depth_ > 0 || foreign_.is_dropped(); }

  const char* begin_;
  const char* end_;
  HtmlText* out_;
  TextWriter text_;
  BlockBounds bounds_;
  ForeignStack foreign_;
  size_t template_depth_ = 0;
  bool in_noscript_ = false;
  bool has_open_link_ = false;
  bool has_title_ = false;
  std::optional<uint32_t> heading_;  // where the text of an open one begins
  bool has_base_ = false;
  bool has_language_ = false;
  std::string scratch_;  // a decoded attribute value
};

void Extractor::run() {
  const char* at = begin_;
  while (at < end_) {
    if (*at != '<') {
      at = is_muted() ? find_any<'<'>(at, end_) : read_text(at);
      if (at == end_) break;
    }
    at = read_markup(at);
  }
  close_link();
  text_.finish();
  bounds_.finish();
}

// Data state (13.2.5.1), up to the next '<'.
const char* Extractor::read_text(const char* at) {
  for (;;) {
    at = text_.copy(at, end_);
    if (at == end_ || *at == '<') return at;
    if (*at == '&') {
      at = read_reference_at(at, end_, text_);
    } else {  // NUL: ignored by HTML, not so by SVG and MathML
      if (foreign_.is_foreign()) text_.put(utf8_replacement);
      ++at;
    }
  }
}

const char* Extractor::read_reference_at(const char* at, const char* end, TextWriter& out) {
  ReferenceStorage storage;
  const Reference reference = read_reference(at, end, ReferencePlace::text, storage);
  if (reference.length == 0) {
    out.put("&");
    return at + 1;
  }
  out.put(reference.utf8);
  return at + reference.length;
}

// At '<' (13.2.5.6).
const char* Extractor::read_markup(const char* at) {
  const char next = at + 1 < end_ ? at[1] : '\0';
  if (is_ascii_alpha(next)) return read_start_tag(at + 1);
  if (next == '/' && at + 2 < end_) {
    if (is_ascii_alpha(at[2])) return read_end_tag(at + 2);
    const char* const close = find_any<'>'>(at + 2, end_);  // "</>", or a bogus comment
    return close < end_ ? close + 1 : end_;
  }
  if (next == '!') return read_declaration(at + 2);
  if (next == '?') {
    const char* const close = find_any<'>'>(at + 2, end_);
    return close < end_ ? close + 1 : end_;
  }
  if (!is_muted()) text_.put("<");
  return at + 1;
}

// After "<!" (13.2.5.42): a comment, a CDATA section, a doctype or a bogus comment. The last
// two end at the first '>', even one within quotes.
const char* Extractor::read_declaration(const char* at) {
  const std::string_view rest(at, static_cast<size_t>(end_ - at));
  if (rest.starts_with("--")) return find_comment_end(at + 2, end_);
  constexpr std::string_view cdata = "[CDATA[";
  if (rest.starts_with(cdata) && foreign_.is_foreign()) return read_cdata(at + cdata.size());
  const char* const close = find_any<'>'>(at, end_);
  return close < end_ ? close + 1 : end_;
}

const char* Extractor::read_cdata(const char* at) {
  constexpr std::string_view close = "]]>";
  const std::string_view rest(at, static_cast<size_t>(end_ - at));
  const size_t size = std::min(rest.find(close), rest.size());
  if (!is_muted()) put_raw_text(rest.substr(0, size), false, text_);
  return at + std::min(size + close.size(), rest.size());
}

// At the name of a tag.
inline Extractor::Name Extractor::read_name(const char* at) const {
  if (end_ - at > 16) {  // nearly all
    const size_t size = predict<4, 1, 2, 3>(name_bytes_in_block<>(at));
    const char after = at[size];
    if (after == '>' || after == ' ') return {&find_tag(at, size), at + size};
  }
  const char* const name_end = find_name_end<>(at, end_);
  return {&find_tag_by_copy({at, static_cast<size_t>(name_end - at)}), name_end};
}

// At the name of a start tag.
const char* Extractor::read_start_tag(const char* at) {
  const auto [tag, name_end] = read_name(at);
  if (foreign_.is_foreign()) {
    if (!leaves_foreign(*tag, name_end)) return read_foreign_start_tag(*tag, name_end);
    foreign_.leave();
  }
  if (tag->tag == Tag::other) return skip_tag(*tag, name_end);
  const TagRest rest = read_attributes(name_end, end_, wanted_attribute(tag->tag));
  if (rest.end == nullptr) return end_;
  separate(*tag);
  apply_start_tag(tag->tag, rest);
  if (tag->tag == Tag::link || tag->tag == Tag::meta) note_target(tag->tag, name_end);
  return has_raw_text(tag->tag) ? read_raw_text(tag->tag, {at, name_end}, rest.end) : rest.end;
}

// The rest of a tag that does no more than separate; most are.
inline const char* Extractor::skip_tag(const TagInfo& tag, const char* name_end) {
  const bool is_bare = name_end < end_ && *name_end == '>';
  const char* const after = is_bare ? name_end + 1 : skip_attributes(name_end, end_);
  if (after == nullptr) return end_;
  separate(tag);
  return after;
}

// What an HTML start tag with a meaning of its own does, but for its raw text.
void Extractor::apply_start_tag(Tag tag, const TagRest& rest) {
  switch (tag) {
    case Tag::a:
      open_link(rest.value);
      break;
    case Tag::area:
      open_link(rest.value);
      close_link();
      break;
    case Tag::base:
      note_attribute(rest.value, has_base_, out_->base_href);
      break;
    case Tag::heading:
      open_heading();
      break;
    case Tag::html:
      note_attribute(rest.value, has_language_, out_->language);
      break;
    case Tag::image:
    case Tag::img:
      put_alt(rest.value);
      break;
    case Tag::math:
      if (!rest.is_self_closing) foreign_.open(ForeignKind::math, tag);
      break;
    case Tag::svg:
      if (!rest.is_self_closing) foreign_.open(ForeignKind::svg, tag);
      break;
    case Tag::noscript:
      in_noscript_ = true;
      break;
    case Tag::template_:  // that of a shadow root is shown
      if (template_depth_ > 0 || !rest.value) ++template_depth_;
      break;
    default:
      break;
  }
}

// A start tag in SVG or MathML, from behind its name.
const char* Extractor::read_foreign_start_tag(const TagInfo& tag, const char* name_end) {
  const TagRest rest = read_attributes(name_end, end_, wanted_attribute(tag.tag));
  if (rest.end == nullptr) return end_;
  separate(tag);
  if (tag.tag == Tag::a) open_link(rest.value);
  if (rest.is_self_closing) return rest.end;
  const bool in_svg = foreign_.top() == ForeignKind::svg;
  const bool in_math = foreign_.top() == ForeignKind::math;
  switch (tag.tag) {
    case Tag::svg:
      foreign_.open(ForeignKind::svg, tag.tag);
      break;
    case Tag::math:
      foreign_.open(ForeignKind::math, tag.tag);
      break;
    case Tag::desc:
    case Tag::foreign_object:
    case Tag::title:
      if (in_svg) foreign_.open(ForeignKind::html, tag.tag);
      break;
    case Tag::math_token:
      if (in_math) foreign_.open(ForeignKind::html, tag.tag);
      break;
    case Tag::annotation_xml:
      if (in_math && rest.value && is_html_type(*rest.value)) {
        foreign_.open(ForeignKind::html, tag.tag);
      }
      break;
    case Tag::foreign_data:
    case Tag::script:
    case Tag::style:
      foreign_.open(ForeignKind::dropped, tag.tag);
      break;
    default:
      break;
  }
  return rest.end;
}

// At the name of an end tag.
const char* Extractor::read_end_tag(const char* at) {
  const auto [tag, name_end] = read_name(at);
  const char* const after = skip_tag(*tag, name_end);
  if (foreign_.is_foreign() && tag->leaves_foreign) foreign_.leave();
  if (tag->tag == Tag::a) {
    if (!is_muted()) close_link();
  } else if (tag->tag == Tag::template_ && !foreign_.is_foreign()) {
    template_depth_ -= template_depth_ > 0 ? 1 : 0;
  } else if (tag->tag == Tag::noscript && !foreign_.is_foreign()) {
    in_noscript_ = false;
  } else if (tag->tag == Tag::heading) {
    close_heading();
  } else if (tag->tag != Tag::other && !foreign_.is_empty()) {
    foreign_.close(tag->tag);
  }
  return after;
}

// The content of an element that has no markup inside; returns at its end tag.
const char* Extractor::read_raw_text(Tag tag, std::string_view name, const char* at) {
  const char* close = end_;
  if (tag == Tag::script) {
    close = find_script_end(at, end_);
  } else if (tag != Tag::plaintext) {
    close = find_raw_text_end(at, end_, name);
  }
  const std::string_view content(at, static_cast<size_t>(close - at));
  if (is_muted()) return close;
  if (tag == Tag::title) put_title(content);
  if (tag == Tag::textarea) put_raw_text(content, true, text_);
  if (tag == Tag::xmp || tag == Tag::plaintext) put_raw_text(content, false, text_);
  return close;
}

void Extractor::put_raw_text(std::string_view raw, bool has_references, TextWriter& out) {
  const char* at = raw.data();
  const char* const end = at + raw.size();
  for (;;) {
    at = out.copy(at, end);
    if (at == end) return;
    if (*at == '&' && has_references) {
      at = read_reference_at(at, end, out);
    } else {
      out.put(*at == '\0' ? utf8_replacement : std::string_view(at, 1));
      ++at;
    }
  }
}

void Extractor::put_alt(const std::optional<std::string_view>& alt) {
  if (!alt || is_muted()) return;
  scratch_.clear();
  append_attribute_value(*alt, scratch_);
  put_raw_text(scratch_, false, text_);
  text_.put_blank();
  constexpr size_t kept = 1 << 16;
  if (scratch_.capacity() > kept) std::string().swap(scratch_);
}

void Extractor::put_title(std::string_view raw) {
  if (has_title_) return;
  has_title_ = true;
  TextWriter title(out_->title, raw.size());
  put_raw_text(raw, true, title);
  title.finish();
  if (out_->title.ends_with(' ')) out_->title.pop_back();
}

// An <a> ends the one before it, even where it has no href and is no link.
void Extractor::open_link(const std::optional<std::string_view>& href) {
  if (is_muted()) return;
  close_link();
  if (!href) return;
  if (out_->links.size() == max_links) {
    ++out_->further_links;
    return;
  }
  HtmlLink link;
  link.text_begin = static_cast<uint32_t>(text_.size());
  link.text_end = link.text_begin;
  link.href_begin = static_cast<uint32_t>(out_->hrefs.size());
  append_address(*href, max_url_bytes, out_->hrefs);
  link.href_end = static_cast<uint32_t>(out_->hrefs.size());
  out_->links.push_back(link);
  has_open_link_ = true;
}

void Extractor::close_link() {
  if (has_open_link_) out_->links.back().text_end = static_cast<uint32_t>(text_.size());
  has_open_link_ = false;
}

// <font> leaves only when it styles; in SVG it may be a font.
bool Extractor::leaves_foreign(const TagInfo& tag, const char* name_end) const {
  if (tag.tag != Tag::font) return tag.leaves_foreign;
  return std::ranges::any_of(std::array<std::string_view, 3>{"color", "face", "size"},
                             [&](std::string_view attribute) {
                               return read_attributes(name_end, end_, attribute).value.has_value();
                             });
}

// The first element that has the attribute counts.
void Extractor::note_attribute(const std::optional<std::string_view>& raw, bool& is_known,
                               std::string& value) {
  if (!raw || is_known || is_muted()) return;
  is_known = true;
  append_address(*raw, max_url_bytes, value);
}

// <link rel=canonical href> and <meta http-equiv=refresh content>; the first of each counts. A
// refresh in <noscript> sends nobody away whose browser runs scripts.
void Extractor::note_target(Tag tag, const char* name_end) {
  const bool is_link = tag == Tag::link;
  std::string& target = is_link ? out_->canonical : out_->refresh;
  if (is_muted() || !target.empty() || (!is_link && in_noscript_)) return;
  const auto value_of = [&](std::string_view name) {
    return read_attributes(name_end, end_, name).value;
  };
  const auto kind = value_of(is_link ? "rel" : "http-equiv");
  if (!kind || !(is_link ? is_canonical(*kind) : equals_ignoring_case(trim(*kind), "refresh"))) {
    return;
  }
  const auto value = value_of(is_link ? "href" : "content");
  if (!value) return;
  if (is_link) {
    append_address(*value, max_url_bytes, target);
    return;
  }
  scratch_.clear();
  constexpr size_t before_url = 1024;  // "0; url="
  append_address(*value, max_url_bytes + before_url, scratch_);
  if (const auto url = refresh_target(scratch_)) target = *url;
}

}  // namespace

void HtmlText::clear() {
  text.clear();
  links.clear();
  further_links = 0;
  hrefs.clear();
  block_bounds.clear();
  headings.clear();
  title.clear();
  base_href.clear();
  language.clear();
  canonical.clear();
  refresh.clear();
  links_stand_alone = false;
}

void extract_html(std::string_view html, HtmlText& out) {
  std::string text;
  text.swap(out.text);  // the writer starts over on it: emptied, it would be zeroed again
  out.clear();
  text.swap(out.text);
  Extractor(cut_to_limit(html), out).run();
}

}  // namespace kith::text
