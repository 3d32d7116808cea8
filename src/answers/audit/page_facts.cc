#include "answers/audit/page_facts.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/hash.h"
#include "text/charset/charset.h"
#include "text/words/date_words.h"

namespace kith::answers {
namespace {

// Longer numbers are made for a visit or a moment: requests, times, sessions.
constexpr size_t least_long_number = 7;
constexpr size_t least_long_token = 12;
// Days of a calendar may have so many other tokens between them.
constexpr size_t most_between_days = 8;
constexpr size_t most_sample_bytes = 100;
constexpr uint64_t mask = 0x6d61736b;  // in place of what is masked

// Words that addresses have whatever the page is about.
constexpr std::string_view common_words[] = {
    "html", "xhtml", "aspx", "index", "page",  "pages", "view", "show",
    "item", "items", "node", "view",  "print", "home",  "true", "false",
};

bool is_number(std::string_view token) {
  return std::ranges::all_of(token, is_ascii_digit);
}

bool has_digit(std::string_view token) {
  return std::ranges::any_of(token, is_ascii_digit);
}

uint64_t number_of(std::string_view number) {
  uint64_t value = 0;
  for (const char c : number.substr(0, least_long_number)) {
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  return value;
}

// Whether something stands in quotes or brackets: behind it is checked as well as before.
bool is_quoted(std::string_view text, size_t begin, size_t end) {
  constexpr std::string_view marks[] = {"\"", "'", "`",  "«",  "»",  "“",  "”", "„",
                                        "‘",  "’", "「", "」", "『", "』", "(", ")",
                                        "[",  "]", "<",  ">",  "‹",  "›",  "："};
  const std::string_view before = trim(text.substr(0, begin));
  const std::string_view behind = trim_start(text.substr(end));
  const bool opens =
      std::ranges::any_of(marks, [&](std::string_view mark_) { return before.ends_with(mark_); });
  return opens && std::ranges::any_of(
                      marks, [&](std::string_view mark_) { return behind.starts_with(mark_); });
}

}  // namespace

struct PageMeter::Part {
  std::string_view text;
  bool is_title = false;
  const text::HtmlText* html = nullptr;  // null: no links, no blocks
};

// What a page repeats of its address: in the first bytes only, as nobody repeats it at the end of a
// long text.
void PageMeter::find_echoes(std::string_view text) {
  constexpr size_t most_bytes = 1 << 14;
  constexpr size_t most_echoes = 64;
  const std::string_view begin = text.substr(0, most_bytes);
  echoes_.clear();
  for (const std::string& echo : address_.echoes) {
    if (is_number(echo)) continue;
    const bool is_marked = echo.find_first_of("-_./:0123456789%") != std::string::npos;
    for (size_t at = begin.find(echo); at != std::string_view::npos && echoes_.size() < most_echoes;
         at = begin.find(echo, at + echo.size())) {
      const size_t end = at + echo.size();
      if (!is_marked && !is_quoted(begin, at, end)) continue;
      echoes_.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(end)});
      const bool is_host = address_.host.find(echo) != std::string_view::npos;
      (is_host ? facts_.names_host : facts_.echoes) = true;
    }
  }
}

bool PageMeter::is_echo(size_t offset) const {
  return std::ranges::any_of(echoes_, [&](const text::TextPart& part) {
    return offset >= part.begin && offset < part.end;
  });
}

void PageMeter::take_number(std::string_view number, size_t place, bool is_title) {
  std::string_view bare = number;
  while (bare.size() > 1 && bare.front() == '0') bare.remove_prefix(1);
  const bool is_of_address = std::ranges::find(address_.numbers, bare) != address_.numbers.end();
  const bool is_long = number.size() >= least_long_number;
  const uint64_t hash = is_of_address || is_long ? mask : hash64(bare);
  facts_.text += mix64(hash);
  facts_.dateless += mix64(mask);
  if (is_title) facts_.title += mix64(mask);
  const uint64_t value = number_of(bare);
  const bool is_near = place - day_place_ <= most_between_days;
  if (value == next_day_ && is_near && value <= 31) {
    facts_.days = std::max(facts_.days, static_cast<uint32_t>(value));
    ++next_day_;
    day_place_ = place;
  } else if (value == 1) {
    next_day_ = 2;
    day_place_ = place;
  }
  if (!is_of_address && !is_long) ++facts_.numbers;
}

void PageMeter::open_block() {
  if (!blocks_.empty() && blocks_.back().words == 0) return;
  blocks_.emplace_back();
  block_begins_.push_back(prose_.size());
}

void PageMeter::read_part(const Part& part) {
  find_echoes(part.text);
  const std::span<const text::HtmlLink> links =
      part.html == nullptr ? std::span<const text::HtmlLink>() : part.html->links;
  const std::span<const uint32_t> bounds =
      part.html == nullptr ? std::span<const uint32_t>() : part.html->block_bounds;
  size_t link = 0;
  size_t bound = 0;
  size_t place = 0;
  bool was_unspaced = false;
  splitter_.reset(part.text);
  for (text::Token token; splitter_.next(token); ++place) {
    while (bound < bounds.size() && bounds[bound] <= token.offset) {
      ++bound;
      open_block();
    }
    if (is_echo(token.offset)) continue;
    while (link < links.size() && links[link].text_end <= token.offset) ++link;
    const bool is_linked = link < links.size() && links[link].text_begin <= token.offset;
    const bool is_prose = !part.is_title && !is_linked;
    if (is_prose && facts_.prose_words < most_claiming_words) {
      append_folded(token.text, token.unspaced, was_unspaced, prose_);
      was_unspaced = token.unspaced;
    }
    if (is_number(token.text)) {
      take_number(token.text, place, part.is_title);
    } else {
      take_word(token, part.is_title, is_prose);
    }
  }
}

void PageMeter::take_word(const text::Token& token, bool is_title, bool is_prose) {
  const bool is_made = token.text.size() >= least_long_token && has_digit(token.text);
  const uint64_t hash = is_made ? mask : hash64(token.text);
  const uint64_t dateless = mix64(is_made || text::is_date_word(token.text) ? mask : hash);
  facts_.text += mix64(hash);
  facts_.dateless += dateless;
  if (is_title) facts_.title += dateless;
  // In scripts without blanks a token is a letter: two count as a word.
  is_half_word_ = token.unspaced && !is_half_word_;
  if (!is_half_word_) ++facts_.words;
  meet_address(token.text, is_prose);
  if (!is_prose) return;
  facts_.prose += dateless;
  blocks_.back().prose += dateless;
  if (is_half_word_) return;
  ++facts_.prose_words;
  if (blocks_.back().words < UINT16_MAX) ++blocks_.back().words;
}

void PageMeter::meet_address(std::string_view token, bool is_prose) {
  for (size_t i = 0; i < address_.words.size(); ++i) {
    if (address_.words[i] != token) continue;
    (is_prose ? blocks_.back().address_words : facts_.met_words) |= uint32_t{1} << i;
  }
}

std::string PageMeter::folded(std::string_view text) {
  std::string all;
  bool was_unspaced = false;
  splitter_.reset(text);
  for (text::Token token; splitter_.next(token); was_unspaced = token.unspaced) {
    append_folded(token.text, token.unspaced, was_unspaced, all);
  }
  return all += ' ';
}

void PageMeter::find_claims(const text::HtmlText& html, std::string_view title) {
  const CueFinder& finder = CueFinder::instance();
  facts_.title_claims = finder.find(folded(title), true);
  for (const text::TextPart& part : html.headings) {
    const Claims more = finder.find(folded(html.text_of(part)), true);
    for (size_t i = 0; i < claim_count; ++i) facts_.title_claims.here[i] |= more.here[i];
  }
  if (facts_.prose_words >= most_claiming_words) return;
  prose_ += ' ';
  finder.for_each_claim(prose_, false, [&](Claim claim, size_t at) {
    facts_.body_claims.add(claim);
    const auto behind = std::ranges::upper_bound(block_begins_, at);
    TextBlock& block = blocks_[static_cast<size_t>(behind - block_begins_.begin()) - 1];
    block.claims = static_cast<uint16_t>(block.claims | bit_of(claim));
  });
}

// Shorter ones, and those of very long pages, are not worth their memory.
void PageMeter::end_blocks() {
  constexpr size_t most_blocks = 48;
  constexpr uint32_t least_words = 5;
  size_t kept = 0;
  for (const TextBlock& block : blocks_) {
    const bool counts = block.words >= least_words || block.claims != 0;
    if (counts && kept < most_blocks) {
      blocks_[kept++] = block;
    } else {
      facts_.met_words |= block.address_words;
    }
  }
  blocks_.resize(kept);
  facts_.blocks = blocks_;
}

void PageMeter::read_markup(const crawl::Page& page) {
  const text::Utf8Text utf8 = text::to_utf8(page.body, page.charset, true, utf8_);
  text::read_markup(utf8.bytes, markup_);
  facts_.media = markup_.media_hash;
  facts_.scripts = markup_.scripts;
  facts_.forms = markup_.forms;
  facts_.has_password = markup_.has_password;
  facts_.has_captcha = markup_.has_captcha;
  facts_.is_noindex = markup_.is_noindex;
  facts_.refreshes = markup_.refreshes;
  if (markup_.unscripted_text.empty()) return;
  text::HtmlText hidden;
  text::extract_html(markup_.unscripted_text, hidden);
  splitter_.reset(hidden.text);
  for (text::Token token; splitter_.next(token);) ++facts_.hidden_words;
}

void PageMeter::end_address() {
  for (size_t i = 0; i < address_.words.size(); ++i) {
    if (std::ranges::find(common_words, address_.words[i]) != std::end(common_words)) continue;
    facts_.address_words |= uint32_t{1} << i;
  }
  facts_.has_named_session = address_.has_named_session;
  facts_.has_date = address_.has_date;
  facts_.repeats = address_.repeats;
  const auto hash_of = [](std::string_view text) { return text.empty() ? 0 : hash64(text); };
  facts_.host = hash64(address_.host);
  facts_.pattern = hash64(std::string(address_.host) + address_.pattern);
  facts_.without_session = hash_of(address_.without_session);
  facts_.without_query =
      address_.without_query.size() < facts_.url.size() ? hash_of(address_.without_query) : 0;
}

const PageFacts& PageMeter::read(const crawl::Page& page) {
  facts_ = {};
  facts_.url = page.url;
  facts_.file = page.file;
  facts_.record = page.record;
  address_ = read_address(page.url);
  facts_.host_name = address_.host;
  prose_.clear();
  blocks_.assign(1, {});
  block_begins_.assign(1, 0);
  next_day_ = 0;
  is_half_word_ = false;
  const text::HtmlText& html = text_.read(page);
  const std::string_view title = page.title.empty() ? std::string_view(html.title) : page.title;
  facts_.links = static_cast<uint32_t>(html.links.size());
  if (page.kind == crawl::PageKind::html) read_markup(page);
  read_part({title, true, nullptr});
  read_part({html.text, false, &html});
  for (const text::TextPart& part : html.headings) {
    splitter_.reset(html.text_of(part));
    find_echoes(html.text_of(part));
    for (text::Token token; splitter_.next(token);) {
      const bool is_masked = is_number(token.text) || text::is_date_word(token.text);
      if (!is_echo(token.offset)) facts_.title += mix64(is_masked ? mask : hash64(token.text)) * 3;
    }
  }
  find_claims(html, title);
  end_blocks();
  end_address();
  const std::string_view shown = trim(title).empty() ? std::string_view(html.text) : title;
  sample_ = cut_utf8(trim(shown), most_sample_bytes);
  facts_.sample = sample_;
  return facts_;
}

}  // namespace kith::answers
