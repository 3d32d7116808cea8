// The digest of a page to its fragments: anchor-windows for the URLs it links to, and its own words
// (docs/algorithms/bags.md; the paper, section 2.1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kith/options.h"
#include "kith/report.h"
#include "kith/status.h"

#include "bags/aliases.h"
#include "bags/boilerplate/templates.h"
#include "bags/fragment.h"
#include "bags/page_digest.h"

namespace kith::bags {

// Pages of fewer words are no copies of each other, for all that they are equal: they may be the
// empty frame of many pages, of which what links say is all that tells them apart.
inline constexpr uint64_t min_copied_words = 30;

struct FragmentOptions : DigestOptions {
  uint32_t window = 8;              // words before and after the anchor text
  bool keep_aliases = false;        // and which pages were fetched; they are counted in any case
  bool remove_boilerplate = false;  // REQUIRES: blocks
  std::vector<std::string> stop_words = {};  // OwnStopWords
};

struct FragmentCounts : TextCounts {
  uint64_t text_words = 0;             // of texts, where boilerplate is left out
  uint64_t left_out = 0;               // of these, boilerplate
  uint64_t kept_whole = 0;             // pages of nothing but boilerplate, without a title
  uint64_t aliases[alias_kinds] = {};  // by kind; URLs that name another one in their place

  // What a page adds, but for the windows.
  void add(const PageDigest& page);
  FragmentCounts& operator+=(const FragmentCounts& more);
};

// One worker's maker of fragments; its buffers are reused. Not thread-safe.
class PageFragments {
 public:
  // `out` and alias_memory, which may be null, must outlive this object.
  PageFragments(const FragmentOptions& options, FragmentWriter& out,
                AliasMemory* alias_memory = nullptr)
      : options_(options), out_(&out), alias_memory_(alias_memory) {}

  // Leaves the boilerplate out of the pages that follow. `tally` must outlive this object.
  void leave_out(BoilerplateTally& tally) { filter_.emplace(tally); }

  // Writes the fragments of one page.
  Status add(const PageDigest& page);

  // Frees what a large page has made the buffers grow to.
  void forget_buffers() {
    encoded_title_.free();
    encoded_.free();
    encoded_kept_.free();
    if (filter_) filter_->forget_buffers();
  }

  // Notes a URL that was answered by a redirect. It is counted; it is kept if aliases are.
  Status add_redirect(const Key128& url, std::string_view target);

  const FragmentCounts& counts() const { return counts_; }
  // What keep_aliases asks for, in no order: the aliases and the keys of the pages.
  std::vector<Alias>& aliases() { return aliases_; }
  const std::vector<Key128>& fetched() const { return fetched_; }

 private:
  const EncodedTerms& encode(const PageDigest& page);
  std::string_view own_text(const EncodedTerms& kept);
  Status add_own_words(const Key128& key, const PageDigest& page, const EncodedTerms& kept);
  uint64_t content_of(const PageDigest& page, const EncodedTerms& kept) const;
  bool is_list(const PageDigest& page) const;
  Status add_alias(AliasKind kind, const Key128& url, std::string_view target);
  Status add_links(const Key128& key, const PageDigest& page, const EncodedTerms& kept);
  Status add_window(const Key128& target, LinkSource source, const DigestLink& link, size_t window,
                    const EncodedTerms& kept);

  FragmentOptions options_;
  FragmentWriter* out_;
  FragmentCounts counts_;
  EncodedTerms encoded_title_;
  std::string content_title_;
  std::string link_url_;
  EncodedTerms encoded_;       // the text
  EncodedTerms encoded_kept_;  // the text without boilerplate, where it has some
  std::string window_;
  std::optional<BoilerplateFilter> filter_;
  AliasMemory* alias_memory_;
  std::vector<Alias> aliases_;
  std::vector<Key128> fetched_;
};

}  // namespace kith::bags
