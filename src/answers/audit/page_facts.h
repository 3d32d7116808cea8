// What an audit measures of a page, and keeps of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "answers/audit/address.h"
#include "answers/audit/cues.h"
#include "crawl/read/page.h"
#include "run/pages.h"
#include "text/html/markup.h"
#include "text/words/tokens.h"

namespace kith::answers {

// What stands between two bounds of block elements, outside of links.
struct TextBlock {
  uint64_t prose = 0;          // as PageFacts::prose
  uint32_t address_words = 0;  // bits of those that it has
  uint16_t words = 0;
  uint16_t claims = 0;  // bits of them, if the prose of the page is short
};

// Hashes are of tokens in any order. An echo is where a page repeats its own address; what is
// masked counts as the same token.
struct PageFacts {
  uint64_t text = 0;      // title and text; echoes, numbers of the address and long numbers masked
  uint64_t dateless = 0;  // the same; all numbers, months and days of the week masked
  uint64_t prose = 0;     // as dateless, of the text outside of links
  uint64_t title = 0;     // as dateless, of the title and the first headings
  uint64_t media = 0;     // of the addresses of images and other objects
  uint64_t host = 0;
  uint64_t pattern = 0;            // of host and pattern of the address
  uint64_t without_session = 0;    // of the address; 0: it has no session
  bool has_named_session = false;  // in a parameter with the name of one
  uint64_t without_query = 0;      // likewise; 0: it has no query
  uint32_t words = 0;              // tokens of letters in title and text
  uint32_t prose_words = 0;        // of the text outside of links
  uint32_t hidden_words = 0;       // inside of <noscript>
  uint32_t numbers = 0;            // that stand in the text, but not in the address
  uint32_t days = 0;               // the longest run of numbers 1, 2, 3, ... near each other
  uint32_t links = 0;
  uint32_t scripts = 0;
  uint32_t forms = 0;
  Claims title_claims;                // of title and first headings
  Claims body_claims;                 // of prose, if it is short
  std::span<const TextBlock> blocks;  // the first ones, of five words and more
  bool has_password = false;
  bool has_captcha = false;
  bool is_noindex = false;
  bool refreshes = false;
  bool has_date = false;       // in its address
  bool repeats = false;        // a part of its path stands there three times or more
  bool echoes = false;         // it repeats its address,
  bool names_host = false;     // or its host
  uint32_t address_words = 0;  // bits of the words of the address, those that mean something
  uint32_t met_words = 0;      // bits of those that stand in title and text, but for `blocks`
  bool agrees = false;         // half of the words of the address stand in title and text
  uint32_t file = 0;           // as crawl::Page
  uint64_t record = 0;
  std::string_view url;        // in the store of whoever keeps the facts
  std::string_view host_name;  // in the url
  std::string_view sample;     // the title, or how the text begins
};

// One worker's; its buffers are reused. Not thread-safe.
class PageMeter {
 public:
  // page: no redirect. The views of what is returned are valid until the next call.
  const PageFacts& read(const crawl::Page& page);

 private:
  struct Part;
  void read_markup(const crawl::Page& page);
  void read_part(const Part& part);
  void take_word(const text::Token& token, bool is_title, bool is_prose);
  void take_number(std::string_view number, size_t place, bool is_title);
  bool is_echo(size_t offset) const;
  void find_echoes(std::string_view text);
  void find_claims(const text::HtmlText& html, std::string_view title);
  void open_block();
  void end_blocks();
  std::string folded(std::string_view text);
  void end_address();
  void meet_address(std::string_view token, bool is_prose);

  run::PageText text_;
  text::Markup markup_;
  text::TokenSplitter splitter_{Numbers::keep};
  Address address_;
  std::string sample_;
  std::string utf8_;
  std::vector<TextBlock> blocks_;
  std::vector<size_t> block_begins_;    // in prose_
  std::string prose_;                   // folded, while it is short
  std::vector<text::TextPart> echoes_;  // of the text that is read

  PageFacts facts_;
  uint64_t next_day_ = 0;
  size_t day_place_ = 0;
  bool is_half_word_ = false;
};

// Pages of so many words of prose are too long for what they say in it to count.
inline constexpr uint32_t most_claiming_words = 350;

}  // namespace kith::answers
