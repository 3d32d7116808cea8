// A page to its fragments: anchor-windows for the URLs it links to, and its own words
// (DESIGN.md section 2, "Anchor bag" and "Content bag"; the paper, section 2.1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kith/options.h"
#include "kith/status.h"

#include "bags/aliases.h"
#include "bags/fragment.h"
#include "bags/vocabulary.h"
#include "text/html.h"
#include "text/language.h"
#include "text/url.h"
#include "text/words.h"

namespace kith::bags {

struct FragmentOptions {
  BagKind kind = BagKind::anchor;
  LinkScope links = LinkScope::all;
  uint32_t window = 8;         // words before and after the anchor text
  bool count_inlinks = false;  // content bags only: anchor bags always know their in-links
  std::optional<text::Language> language = {};  // of every page; nothing: detected
  bool keep_aliases = false;  // and which pages were fetched; they are counted in any case
};

struct FragmentCounts {
  uint64_t words = 0;                  // stop words included
  uint64_t links = 0;                  // <a href> and <area href> met
  uint64_t bad_links = 0;              // not http(s), or no URL at all
  uint64_t self_links = 0;             // to the page itself; they describe nothing
  uint64_t windows = 0;                // anchor-windows written
  uint64_t aliases[alias_kinds] = {};  // by kind; URLs that name another one in their place
};

// One worker's maker of fragments; its buffers are reused. Not thread-safe.
class PageFragments {
 public:
  // `terms` and `out` must outlive this object.
  PageFragments(const FragmentOptions& options, TermReader& terms, FragmentWriter& out);

  // Writes the fragments of one page. `title` wins over page.title unless it is empty.
  Status add(const text::Url& url, const text::HtmlText& page, std::string_view title);

  // Notes that `url` was answered by a redirect to `location`, perhaps relative.
  void add_redirect(const text::Url& url, std::string_view location);

  const FragmentCounts& counts() const { return counts_; }
  // What keep_aliases asks for, in no order: the aliases and the keys of the pages.
  std::vector<Alias>& aliases() { return aliases_; }
  const std::vector<Key128>& fetched() const { return fetched_; }

 private:
  void read_words(text::Language language, std::string_view text);
  Status add_links(const text::Url& url, const text::Url& base, const text::HtmlText& page);
  Status add_window(const Key128& target, std::string_view url, size_t begin, size_t end,
                    size_t window);

  void add_alias(AliasKind kind, const text::Url& url, const text::Url& base,
                 std::string_view target);

  FragmentOptions options_;
  TermReader* terms_;
  FragmentWriter* out_;
  FragmentCounts counts_;
  text::WordSplitter splitter_;
  std::vector<uint32_t> word_terms_;    // a term or no_term for every word of the text
  std::vector<uint32_t> word_offsets_;  // where each word begins, in bytes
  EncodedTerms encoded_;                // word_terms_
  std::string own_words_;               // encoded
  std::vector<Alias> aliases_;
  std::vector<Key128> fetched_;
  text::Url base_;
  text::Url target_;
};

}  // namespace kith::bags
